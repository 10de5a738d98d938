/** The namespace of the apps of `npm start` in an embedded cluster. */
export const releaseNamespace = 'interlock-system';

/** The namespace of the GitOpsResponderConfig and of its Secrets in an embedded cluster. */
export const responderConfigNamespace = 'ugallu-system';
