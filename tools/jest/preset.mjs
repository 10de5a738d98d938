/** The jest set-up that every project shares: native ES modules, transformed file by file with esbuild. */
export default {
  testEnvironment: new URL('./environment.mjs', import.meta.url).pathname,
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  transform: {},
  runtime: new URL('./runtime.mjs', import.meta.url).pathname,
  /*
   * Of the heap. A program that a test starts by itself, as by `execFileSync`, takes the longer to start the larger the worker
   * is; a new worker has to load everything anew.
   */
  workerIdleMemoryLimit: '1500MB',
  testTimeout: 30_000,
  reporters: ['default', new URL('./summary-reporter.mjs', import.meta.url).pathname],
};
