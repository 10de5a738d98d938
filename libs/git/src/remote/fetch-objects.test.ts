import { describe, expect, test } from '@jest/globals';
import { fetchRequest, readPack } from './fetch-objects.js';
import type { Packet } from './pkt-line.js';

const [one, two] = ['1'.repeat(40), '2'.repeat(40)];

async function* packets(...lines: readonly (string | Buffer)[]): AsyncGenerator<Packet> {
  for (const line of lines)
    yield line === 'flush' || line === 'delimiter' || line === 'response-end' ? line : Buffer.from(line);
}

describe('the request for objects', () => {
  test('names the objects, and contains only parameters that the remote accepts', () => {
    const little = { agent: false, objectFormat: false };
    const request = fetchRequest(little, { ids: new Set([one, two]) }).toString();
    expect(request).toBe(
      `0012command=fetch\n00010010no-progress\n0032want ${one}\n0032want ${two}\n0009done\n0000`,
    );
    const all = fetchRequest({ agent: true, objectFormat: true }, { ids: new Set([one]) }).toString();
    expect(all).toContain('agent=git/interlock\n');
    expect(all).toContain('object-format=sha1\n');
    const since = fetchRequest(little, { ids: new Set([one]), haves: [two] }).toString();
    expect(since).toContain(
      `000ethin-pack\n000eofs-delta\n0015filter blob:none\n0032want ${one}\n0032have ${two}\n0009done\n0000`,
    );
  });
});

describe('the answer', () => {
  test('contains the pack, without progress reports', async () => {
    const answer = packets('packfile\n', '\x01PA', '\x02counting', '\x01', '\x01CK', 'flush');
    expect((await readPack(answer, 1_000)).toString()).toBe('PACK');
  });

  test.each([
    ['nothing', [], 'ends early'],
    ['an error', [`ERR upload-pack: not our ref ${one}`, 'flush'], 'not a pack'],
    ['another section first', ['acknowledgments\n', 'NAK\n', 'delimiter'], 'not a pack'],
    ['another section in between', ['packfile\n', 'delimiter', '\x01PACK', 'flush'], 'unexpected section'],
    ['an error in between', ['packfile\n', '\x01PA', '\x03fatal: no memory', 'flush'], 'reports an error'],
    ['a packet without a band', ['packfile\n', '', 'flush'], 'reports an error'],
    ['no flush packet at its end', ['packfile\n', '\x01PACK'], 'ends early'],
    ['a different end packet', ['packfile\n', '\x01PACK', 'response-end'], 'unexpected section'],
    ['bytes after its end', ['packfile\n', '\x01PACK', 'flush', '\x01PACK'], 'continues after'],
    ['too many bytes', ['packfile\n', `\x01${'x'.repeat(2_000)}`, 'flush'], 'more than 1000 bytes'],
    ['too much progress', ['packfile\n', `\x02${'x'.repeat(2_000)}`, 'flush'], 'more than 1000 bytes'],
    [
      'too many packets',
      ['packfile\n', ...Array.from({ length: 20 }, () => '\x01x')],
      'more than 1000 bytes',
    ],
  ])('is refused with %s', async (_, lines, message) => {
    await expect(readPack(packets(...lines), 1_000)).rejects.toThrow(message);
  });
});
