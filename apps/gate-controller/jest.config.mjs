import preset from '../../tools/jest/preset.mjs';

/* Tests against the embedded cluster wait for conditions; a busy machine takes its time to bring them about. */
export default { ...preset, displayName: 'gate-controller' };
