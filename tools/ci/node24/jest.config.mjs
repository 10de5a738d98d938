import preset from '../../jest/preset.mjs';

/** The libraries whose tests start no server. */
const libraries = ['api', 'base', 'cel', 'gating', 'responding'];

/* It compares with an oracle minute by minute, for as long as all others take together. */
const slow = '/oracle\\.test\\.ts$';

const { testTimeout, workerIdleMemoryLimit, reporters, ...project } = preset;

export default {
  projects: libraries.map((library) => ({
    ...project,
    displayName: `${library} on Node.js 24`,
    testPathIgnorePatterns: [...project.testPathIgnorePatterns, slow],
    rootDir: new URL(`../../../libs/${library}`, import.meta.url).pathname,
  })),
  testTimeout,
  workerIdleMemoryLimit,
  reporters,
};
