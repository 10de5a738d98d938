import preset from '../../tools/jest/preset.mjs';

/* Programs are started, on a machine that may be busy. */
export default { ...preset, displayName: 'charts', testTimeout: 120_000 };
