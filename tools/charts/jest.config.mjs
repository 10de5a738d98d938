import preset from '../../tools/jest/preset.mjs';

/* The tests start programs, possibly on a busy machine. */
export default { ...preset, displayName: 'charts', testTimeout: 120_000 };
