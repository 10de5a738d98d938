import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@interlock/base/testing';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import { createLogger } from '../logging/logger.js';
import { fileCertificates } from './file-source.js';
import { issueAuthority } from './issue.js';

let folder: string;
const lines: string[] = [];
const log = createLogger({ component: 'test', destination: { write: (line) => lines.push(line) } });
beforeEach(async () => {
  lines.splice(0);
  folder = await mkdtemp(join(tmpdir(), 'interlock-certificates-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('uses the certificate in the files whenever it changes, and never without its own key', async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const [one, two] = [await issueAuthority('one', Date.now()), await issueAuthority('two', Date.now())];
  const source = fileCertificates({ clock, log, certFile, keyFile });
  const run = source.run(stop.signal);
  const later = (check: () => void) =>
    eventually(async () => {
      await clock.advance(10_000);
      check();
    });
  await later(() => expect(lines.some((line) => line.includes('cannot be read'))).toBe(true));
  expect(source.current()).toBeUndefined();
  await writeFile(certFile, one.cert);
  await writeFile(keyFile, one.key);
  await later(() => expect(source.current()).toEqual(one));
  lines.splice(0);
  await writeFile(certFile, two.cert);
  await later(() =>
    expect(lines.some((line) => line.includes('does not belong to the certificate'))).toBe(true),
  );
  expect(source.current()).toEqual(one);
  await writeFile(keyFile, two.key);
  await later(() => expect(source.current()).toEqual(two));
  expect(lines.join('')).not.toContain('PRIVATE KEY');
  stop.abort();
  await run;
});
