/** The jest configuration of all projects: native ES modules, transformed file by file with esbuild. */
export default {
  testEnvironment: new URL('./environment.mjs', import.meta.url).pathname,
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  transform: {},
  runtime: new URL('./runtime.mjs', import.meta.url).pathname,
  /*
   * Limit of the heap. A larger worker takes longer to start programs without the launcher, such as with
   * `execFileSync`. A new worker has to load all modules again.
   */
  workerIdleMemoryLimit: '1500MB',
  /*
   * Work of unbounded cost takes far longer than this. Tests that start hundreds of programs take half a minute on a
   * machine where a large process takes long to start another one.
   */
  testTimeout: 120_000,
  reporters: ['default', new URL('./summary-reporter.mjs', import.meta.url).pathname],
};
