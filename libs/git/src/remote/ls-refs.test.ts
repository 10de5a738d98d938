import { describe, expect, test } from '@jest/globals';
import { lsRefsRequest, readCapabilities, readRefs } from './ls-refs.js';
import type { Packet } from './pkt-line.js';

const [ONE, TWO] = ['1'.repeat(40), '2'.repeat(40)];

async function* packets(...lines: readonly string[]): AsyncGenerator<Packet> {
  for (const line of lines) yield line === 'flush' || line === 'delimiter' ? line : Buffer.from(line);
}

describe('the capabilities of a remote', () => {
  test.each([
    [
      'a response with all supported capabilities',
      ['version 2\n', 'agent=git/2\n', 'ls-refs=unborn\n', 'object-format=sha1\n', 'flush'],
      true,
      true,
    ],
    ['a response with only the required capabilities', ['version 2\n', 'ls-refs\n', 'flush'], false, false],
    ['lines without line breaks', ['version 2', 'ls-refs', 'agent=x', 'flush'], true, false],
    [
      'a response with a service header',
      ['# service=git-upload-pack\n', 'flush', 'version 2\n', 'ls-refs\n', 'agent\n', 'flush'],
      true,
      false,
    ],
  ])('are read from %s', async (_, lines, agent, objectFormat) => {
    expect(await readCapabilities(packets(...lines))).toEqual({
      fetch: false,
      filter: false,
      agent,
      objectFormat,
    });
  });

  test.each([
    ['version 0', [`${ONE} HEAD\0side-band\n`, `${ONE} refs/heads/dev\n`, 'flush'], 'version 2'],
    ['version 1', ['# service=git-upload-pack\n', 'flush', 'version 1\n', 'flush'], 'version 2'],
    ['no ls-refs', ['version 2\n', 'fetch=shallow\n', 'flush'], 'does not offer ls-refs'],
    ['another command', ['version 2\n', 'ls-refs-too\n', 'flush'], 'does not offer ls-refs'],
    ['SHA-256', ['version 2\n', 'ls-refs\n', 'object-format=sha256\n', 'flush'], 'not sha1'],
    [
      'an endless number of lines',
      ['version 2\n', ...Array.from({ length: 2_000 }, (_, n) => `c${n}\n`)],
      'too many capabilities',
    ],
    ['an end that comes too early', ['version 2\n', 'ls-refs\n'], 'ends early'],
    ['nothing', [], 'ends early'],
  ])('are refused with %s', async (_, lines, message) => {
    await expect(readCapabilities(packets(...lines))).rejects.toThrow(message);
  });
});

test('the capabilities of a remote include its support for requests for objects', async () => {
  const offer = (...lines: string[]) => readCapabilities(packets('version 2', 'ls-refs', ...lines, 'flush'));
  expect(await offer('fetch=shallow filter')).toMatchObject({ fetch: true, filter: true });
  expect(await offer('fetch=shallow filter-all')).toMatchObject({ fetch: true, filter: false });
  expect(await offer('fetch')).toMatchObject({ fetch: true, filter: false });
  expect(await offer('fetch-all', 'filter')).toMatchObject({ fetch: false, filter: false });
});

describe('the request', () => {
  test('names the references, and contains only parameters that the remote accepts', () => {
    const names = new Set(['refs/heads/dev', 'refs/notes/a']);
    expect(String(lsRefsRequest({ agent: true, objectFormat: true }, names))).toBe(
      '0014command=ls-refs\n0018agent=git/interlock\n0017object-format=sha1\n0001' +
        '001eref-prefix refs/heads/dev\n001cref-prefix refs/notes/a\n0000',
    );
    expect(String(lsRefsRequest({ agent: false, objectFormat: false }, new Set()))).toBe(
      '0014command=ls-refs\n00010000',
    );
  });

  test('is for all references when very many are requested', () => {
    const many = (count: number) => new Set(Array.from({ length: count }, (_, n) => `refs/heads/${n}`));
    const capabilities = { agent: false, objectFormat: false };
    expect(String(lsRefsRequest(capabilities, many(500)))).toContain('ref-prefix refs/heads/499\n');
    expect(String(lsRefsRequest(capabilities, many(501)))).not.toContain('ref-prefix');
  });
});

describe('the answer', () => {
  const names = new Set(['refs/heads/dev', 'refs/tags/v1']);

  test('is filtered by exact names', async () => {
    const lines = [
      `${ONE} HEAD symref-target:refs/heads/dev\n`,
      `${ONE} refs/heads/dev\n`,
      `${TWO} refs/heads/dev/x\n`,
      `${TWO} refs/heads/development\n`,
      `${TWO} refs/tags/v1 peeled:${ONE}\n`,
      'flush',
    ];
    expect(await readRefs(packets(...lines), names)).toEqual(
      new Map([
        ['refs/heads/dev', ONE],
        ['refs/tags/v1', TWO],
      ]),
    );
    expect(await readRefs(packets('flush'), names)).toEqual(new Map());
  });

  test.each([
    ['an error', ['ERR upload-pack: not our ref\n', 'flush'], 'not a reference'],
    ['a short id', [`${ONE.slice(1)} refs/heads/dev\n`, 'flush'], 'not a reference'],
    ['an id of SHA-256', [`${'a'.repeat(64)} refs/heads/dev\n`, 'flush'], 'not a reference'],
    ['a missing name', [`${ONE}\n`, 'flush'], 'not a reference'],
    ['a separator', [`${ONE} refs/heads/dev\n`, 'delimiter', 'flush'], 'not a reference'],
    ['no flush packet at its end', [`${ONE} refs/heads/dev\n`], 'ends early'],
    ['data after its end', ['flush', `${ONE} refs/heads/dev\n`], 'continues after'],
    ['two ends', ['flush', 'flush'], 'continues after'],
  ])('is refused with %s', async (_, lines, message) => {
    await expect(readRefs(packets(...lines), names)).rejects.toThrow(message);
  });
});
