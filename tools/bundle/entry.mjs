import { resolve } from 'node:path';

/* The kernel discards a signal to process 1 of a container if the process does not handle it, so the program would
   start and be killed at the end of its grace period. Loading is most of its start: until then nothing has to be
   finished. The handlers of the program replace this one as soon as they exist. */
const source = `
process.on('SIGTERM', () => {
  if (process.listenerCount('SIGTERM') === 1) process.exit(0);
});
await import('program');
`;

/** Returns the entry points of a program that ends at SIGTERM also while it loads: `main.mjs`, which loads `app.mjs`. */
export const stoppableEntry = (program) => ({ main: 'stoppable-entry', app: program });

/** Resolves the entry points of {@link stoppableEntry}. */
export function entryPlugin(program) {
  return {
    name: 'stoppable-entry',
    setup(build) {
      build.onResolve({ filter: /^stoppable-entry$/ }, () => ({
        path: program,
        namespace: 'stoppable-entry',
      }));
      build.onResolve({ filter: /^program$/, namespace: 'stoppable-entry' }, () => ({
        path: resolve(program),
      }));
      build.onLoad({ filter: /.*/, namespace: 'stoppable-entry' }, () => ({
        contents: source,
        loader: 'js',
      }));
    },
  };
}
