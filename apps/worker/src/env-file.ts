import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reservedRunnerVariables } from '@interlock/api/worker-contract';
import { errorCode, Misconfigured } from './misconfigured.js';

/**
 * Returns an environment with the variables in the file `.env` of the root folder of a runner, such as those that name its hooks. The
 * runner's own listener reads that file, which an image may have: its variables replace those of the container, and a variable
 * without a value is removed. Variables that only the controller sets are not changed.
 *
 * @throws Misconfigured when the file cannot be read
 */
export function withEnvFile(env: NodeJS.ProcessEnv, runnerHome: string): NodeJS.ProcessEnv {
  const result = new Map(Object.entries(env));
  for (const line of readLines(join(runnerHome, '.env'))) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(line) ?? [];
    if (name === '' || reservedRunnerVariables.has(name.toUpperCase())) continue;
    if (value === '') result.delete(name);
    else result.set(name, value);
  }
  return Object.fromEntries(result);
}

/** Returns the lines of a file; none if it does not exist. */
function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .replace(/^\uFEFF/, '')
      .split(/\r\n|\n|\r/);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return [];
    throw new Misconfigured(`cannot read ${file} (${code}); let the user of the image read it, or remove it`);
  }
}
