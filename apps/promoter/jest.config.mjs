import preset from '../../tools/jest/preset.mjs';

/* Tests against cluster and forge wait for conditions; a busy machine takes its time to bring them about. */
export default { ...preset, displayName: 'promoter' };
