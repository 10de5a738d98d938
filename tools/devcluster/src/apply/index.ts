export { applyServerSide } from './server-side-apply.js';
export { conflictStatus } from './conflict-status.js';
export { PatchError } from './errors.js';
export { jsonMergePatch, jsonPatch } from './json-patch.js';
export { patchedText } from './patched-text.js';
export { strategicMerge } from './strategic-merge.js';
export { trackUpdate } from './track-update.js';
export { zeroObject } from './zero-object.js';
export { decodeManagers } from './managed-fields.js';
