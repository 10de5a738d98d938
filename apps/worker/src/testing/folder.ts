import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a folder for temporary files. Returns its path, and what removes it. */
export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'worker-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
