import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import * as z from 'zod';
import { withRules, type CelRule } from '../schema/define.js';
import { embedded } from '../schema/embedded.js';
import { workerServiceAccount } from './names.js';
import { runnerContainer } from './worker-contract.js';

/** The variables of the runner container that the controller sets. Programs also read the variables of a proxy in lower case. */
const reservedVariables = ['ACTIONS_RUNTIME_TOKEN', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const;

/* The API server multiplies the cost of a rule by these before it accepts the definition. */
const maxContainers = 16;
const maxVariables = 512;
const maxVariableName = 253;
const maxContainerName = 63;

function reserved(field: string, value: string, unset: string): CelRule {
  return {
    rule: `!has(self.${field}) || self.${field} == ${unset}`,
    message: `spec.${field} of a worker pod is always ${value}; remove it from podTemplate`,
    fieldPath: `.${field}`,
  };
}

const account = (field: string): CelRule => reserved(field, workerServiceAccount, "''");
const off = (field: string): CelRule => reserved(field, 'false', 'false');

const reservedNames = [...reservedVariables, ...reservedVariables.map((name) => name.toLowerCase())]
  .map((name) => `'${name}'`)
  .join(', ');

const variable = z.looseObject({ name: z.string().max(maxVariableName) });

const container = withRules(
  z.looseObject({
    name: z.string().max(maxContainerName),
    env: z.array(variable).max(maxVariables).optional(),
  }),
  [
    {
      rule: `self.name != '${runnerContainer}' || !has(self.env) || !self.env.exists(e, e.name in [${reservedNames}])`,
      message: `env of container ${runnerContainer} must not have ${reservedVariables.join(', ')}, in upper or lower case: the controller sets them; remove them`,
      fieldPath: '.env',
    },
  ],
);

const initContainer = withRules(z.looseObject({ name: z.string().max(maxContainerName) }), [
  {
    rule: `self.name != '${runnerContainer}'`,
    message: `name ${runnerContainer} is reserved for the container that runs the job; rename the init container, or move it to containers`,
    fieldPath: '.name',
  },
]);

const podSpec = withRules(
  z.looseObject({
    containers: z.array(container).max(maxContainers),
    initContainers: z.array(initContainer).max(maxContainers).optional(),
  }),
  [
    account('serviceAccountName'),
    account('serviceAccount'),
    off('automountServiceAccountToken'),
    off('hostPID'),
    off('hostNetwork'),
    off('hostIPC'),
  ],
);

/** The template of worker pods: a PodTemplateSpec without the fields that the controller sets on each of them. */
export const workerPodTemplate = embedded<PodTemplateSpec>(
  'PodTemplateSpec',
  /* Server-side apply replaces it as a whole. It would change a template that becomes `{}` to null, which is refused. */
  z.looseObject({ spec: podSpec.optional() }).meta({ 'x-kubernetes-map-type': 'atomic' }),
  `PodTemplateSpec of the worker pods. The container that runs the job is named ${runnerContainer}, and is added if the template does not contain it. The controller sets the service account, the proxy and the isolation of the pod.`,
);
