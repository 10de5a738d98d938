import { ApiError } from '../api/api-error.js';

/**
 * Writes. An object that is gone, or that changed meanwhile and so comes again by itself, does not count as a failure. Returns whether it
 * was written. @throws ApiError for every other refusal.
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
