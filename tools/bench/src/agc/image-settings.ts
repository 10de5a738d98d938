/** The Node.js flags of the image of the AGC. */
export const imageFlags = ['--max-semi-space-size=2'];
/** The settings of `malloc` of the image of the AGC. */
export const imageEnv = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '4096' };
