import preset from '../../jest/preset.mjs';

/** The libraries whose tests start no server. */
const libraries = ['api', 'base', 'cel', 'gating', 'responding'];

/* It compares with an oracle minute by minute, for as long as all others take together. */
const slow = '/oracle\\.test\\.ts$';

const { testTimeout, workerIdleMemoryLimit, reporters, ...project } = preset;

const on24 = (name, folder) => ({
  ...project,
  displayName: `${name} on Node.js 24`,
  testPathIgnorePatterns: [...project.testPathIgnorePatterns, slow],
  rootDir: new URL(`../../../${folder}`, import.meta.url).pathname,
});

/* The relay of the egress proxy uses what Node.js promises nothing of. */
export default {
  projects: [
    ...libraries.map((library) => on24(library, `libs/${library}`)),
    on24('egress-proxy', 'apps/egress-proxy/src/relay'),
  ],
  testTimeout,
  workerIdleMemoryLimit,
  reporters,
};
