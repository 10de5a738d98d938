import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';

const require = createRequire(import.meta.url);
const parameters = ['exports', 'require', 'module', 'globalThis'];

/** Where the functions of the running test file are, such as `describe`, for the modules that all test files share. */
export const globalsKey = Symbol.for('interlock.jest-globals');

/**
 * Loads test files as Node.js loads any module: in the realm of the worker, and what they import once for all files of the
 * worker. jest's own runtime gives each test file a realm with modules of its own, which costs more processor time than most
 * tests (`docs/testing.md`).
 */
export default class NativeRuntime {
  #storages = [];

  /**
   * Loads the part of jest-circus that keeps the state of one test file: anew for each. What it puts on the global object is
   * on one that goes with the file.
   */
  requireInternalModule(path) {
    const storages = this.#storages;
    class FileStorage extends AsyncLocalStorage {
      constructor() {
        super();
        storages.push(this);
      }
    }
    const load = createRequire(path);
    const requireForFile = (name) =>
      name === 'node:async_hooks' ? { AsyncLocalStorage: FileStorage } : load(name);
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
    /* Each one that is left costs every promise that is made from then on. */
    for (const storage of this.#storages) storage.disable();
  }
}
