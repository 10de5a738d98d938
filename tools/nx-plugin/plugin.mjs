import { dirname } from 'node:path';

/**
 * Infers the `bundle` target for every project that has a process entry point, `src/main.ts`.
 * The bundle is one ES module, `dist/main.mjs`.
 */
export const createNodesV2 = [
  '{apps,tools}/*/src/main.ts',
  (files) =>
    files.map((file) => {
      const root = dirname(dirname(file));
      return [
        file,
        {
          projects: {
            [root]: {
              targets: {
                bundle: {
                  command: `node tools/bundle/bundle.mjs ${root}`,
                  cache: true,
                  inputs: ['production', '^production', '{workspaceRoot}/tools/bundle/**/*'],
                  outputs: ['{projectRoot}/dist'],
                },
              },
            },
          },
        },
      ];
    }),
];
