import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';

const require = createRequire(import.meta.url);
const parameters = ['exports', 'require', 'module', 'globalThis'];

/** Where the functions of the running test file are, such as `describe`, for the modules that all test files share. */
export const globalsKey = Symbol.for('interlock.jest-globals');

/**
 * Stands in for the `AsyncLocalStorage` of jest-circus, which keeps the test that runs. The tests of a file run one after
 * another, so a field is enough. An `AsyncLocalStorage` makes every promise of a worker call hooks, a tenth of its processor time.
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
 * Loads test files as Node.js loads any module: in the realm of the worker, and what they import once for all files of the
 * worker. jest's own runtime gives each test file a realm with modules of its own, which costs more processor time than most
 * tests (`docs/testing.md`).
 */
export default class NativeRuntime {
  /**
   * Loads the part of jest-circus that keeps the state of one test file: anew for each. What it puts on the global object is
   * on one that goes with the file.
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
    /* jest's own runtime counts in them who is to blame for a late import. */
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
    /* jest's own runtime gives back its realm. */
  }
}
