import { createHash } from 'node:crypto';
import { workerModule, workerSource } from '../bundle/worker-source.mjs';

/** Gives tests for `x.worker.js` what the bundler gives the apps. */
function moduleOf(path) {
  return workerModule(workerSource(path).text);
}

export default {
  getCacheKey: (_text, path) => createHash('sha256').update(moduleOf(path)).digest('hex'),
  process: (_text, path) => ({ code: moduleOf(path) }),
};
