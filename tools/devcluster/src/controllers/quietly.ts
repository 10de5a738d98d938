import { ApiError } from '../api/api-error.js';

/**
 * Writes an object. Returns false if the object was deleted or has changed; the change triggers the controller again.
 * @throws ApiError for every other refusal
 */
export async function quietly(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.code === 404 || error.code === 409)) return false;
    throw error;
  }
}
