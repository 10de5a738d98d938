export { applyServerSide, type ApplyRequest, type ApplyResult } from './server-side-apply.js';
export { conflictStatus } from './conflict-status.js';
export { PatchError } from './errors.js';
export { FieldSet } from './field-set.js';
export { jsonMergePatch, jsonPatch } from './json-patch.js';
export { defaultResetFields, type ApplyConflict, type ResetFields } from './ownership.js';
export { strategicMerge } from './strategic-merge.js';
export { trackUpdate, type UpdateRequest } from './track-update.js';
export { zeroObject } from './zero-object.js';
