import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';

const require = createRequire(import.meta.url);
const parameters = ['exports', 'require', 'module', 'globalThis'];

/** Key of the functions of the running test file, such as `describe`, for the modules that all test files share. */
export const globalsKey = Symbol.for('interlock.jest-globals');

/**
 * Replaces the `AsyncLocalStorage` in which jest-circus stores the running test. The tests of a file run one after
 * another, so a field is sufficient. An `AsyncLocalStorage` makes every promise of a worker call hooks, which takes a
 * tenth of its processor time.
 */
class SequentialStorage {
  #store;

  getStore() {
    return this.#store;
  }

  async run(store, callback) {
    const outer = this.#store;
    this.#store = store;
    try {
      return await callback();
    } finally {
      this.#store = outer;
    }
  }
}

/**
 * Loads test files as Node.js loads any module: in the realm of the worker, with imported modules shared by all files
 * of the worker. The runtime of jest creates a realm and loads all modules for each test file, which takes more
 * processor time than most tests (`docs/testing.md`).
 */
export default class NativeRuntime {
  /**
   * Loads the part of jest-circus that contains the state of one test file, again for each file. Its global variables
   * are set on an object that is discarded after the file.
   */
  requireInternalModule(path) {
    const load = createRequire(path);
    const requireForFile = (name) =>
      name === 'node:async_hooks' ? { AsyncLocalStorage: SequentialStorage } : load(name);
    const module = { exports: {} };
    const body = compileFunction(readFileSync(path, 'utf8'), parameters, { filename: path });
    body(module.exports, Object.assign(requireForFile, load), module, Object.create(globalThis));
    return module.exports;
  }

  requireModule(path) {
    return require(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return import(pathToFileURL(path).href);
  }

  setGlobalsForRuntime(globals) {
    globalThis[globalsKey] = globals;
  }

  enterTestCode() {
    /* The runtime of jest uses this method to attribute late imports. */
  }

  leaveTestCode() {
    /* As above. */
  }

  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  teardown() {
    /* The runtime of jest releases its realm here. */
  }
}
