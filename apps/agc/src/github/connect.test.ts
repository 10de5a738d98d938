import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authoritiesOf } from './connect.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'agc-connect-'));
  for (const name of ['github', 'proxy']) writeFileSync(join(folder, name), `authority of ${name}`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('authoritiesOf', () => {
  it('returns undefined without a file, so that Node.js keeps the authorities that it trusts', () => {
    expect(authoritiesOf('', { NODE_EXTRA_CA_CERTS: join(folder, 'proxy') })).toBeUndefined();
  });

  it('also trusts the authority of the proxy, which Node.js would drop', () => {
    const file = join(folder, 'github');
    expect(authoritiesOf(file, {})).toBe('authority of github');
    expect(authoritiesOf(file, { NODE_EXTRA_CA_CERTS: join(folder, 'proxy') })).toBe(
      'authority of github\nauthority of proxy',
    );
  });
});
