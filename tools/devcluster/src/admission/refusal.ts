import { forbidden, type ApiError } from '../api/api-error.js';
import type { AdmissionRequest } from '../api/cluster.js';

/**
 * Returns the 403 error of a write that admission refuses for these reasons. An object without a generated name is
 * identified by its prefix. Source: apiserver pkg/admission/errors.go.
 */
export function refusal({ resource, name, object }: AdmissionRequest, ...reasons: string[]): ApiError {
  const subject = { group: resource.group, kind: resource.plural, name: name || nameOf(object) };
  const distinct = [...new Set(reasons)];
  return forbidden(subject, distinct.length === 1 ? distinct.join() : `[${distinct.join(', ')}]`);
}

function nameOf(object: AdmissionRequest['object']): string {
  return object?.metadata.name || object?.metadata.generateName || 'Unknown';
}
