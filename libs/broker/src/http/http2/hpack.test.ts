import { describe, expect, test } from '@jest/globals';
import type { HttpCall } from '../exchange.js';
import { AnswerHead } from './answer-head.js';
import { HpackDecoder } from './hpack-decoder.js';
import { encodeRequest } from './request-head.js';

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll(/\s/g, ''), 'hex');

function decode(decoder: HpackDecoder, block: Buffer): string[] {
  const fields: string[] = [];
  decoder.decode(block, { field: (name, value) => fields.push(`${name}: ${value}`) });
  return fields;
}

const request = [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'];
const requests = [
  request,
  [...request, 'cache-control: no-cache'],
  [
    ...[':method: GET', ':scheme: https', ':path: /index.html', ':authority: www.example.com'],
    'custom-key: custom-value',
  ],
];
const date = 'date: Mon, 21 Oct 2013 20:13:21 GMT';
const location = 'location: https://www.example.com';
const responses = [
  [':status: 302', 'cache-control: private', date, location],
  [':status: 307', 'cache-control: private', date, location],
  [
    ...[':status: 200', 'cache-control: private', date.replace('13:21', '13:22'), location],
    'content-encoding: gzip',
    'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
  ],
];
/** Sets the size of the table to 256, as the settings of these examples do. */
const small = '3fe101';

describe('HpackDecoder', () => {
  test.each([
    [
      'C.2.1',
      ['400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572'],
      [['custom-key: custom-header']],
    ],
    ['C.2.2', ['040c 2f73 616d 706c 652f 7061 7468'], [[':path: /sample/path']]],
    ['C.2.3', ['1008 7061 7373 776f 7264 0673 6563 7265 74'], [['password: secret']]],
    ['C.2.4', ['82'], [[':method: GET']]],
    [
      'C.3',
      [
        '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '8286 84be 5808 6e6f 2d63 6163 6865',
        '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
      ],
      requests,
    ],
    [
      'C.4',
      [
        '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
        '8286 84be 5886 a8eb 1064 9cbf',
        '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
      ],
      requests,
    ],
    [
      'C.5',
      [
        `${small} 4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120
         474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d`,
        '4803 3330 37c1 c0bf',
        `88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d
         4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572
         7369 6f6e 3d31`,
      ],
      responses,
    ],
    [
      'C.6',
      [
        `${small} 4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718
         63c7 8f0b 97c8 e9ae 82ae 43d3`,
        '4883 640e ffc1 c0bf',
        `88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf
         cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07`,
      ],
      responses,
    ],
  ])('decodes the example %s of RFC 7541', (_name, blocks, expected) => {
    const decoder = new HpackDecoder();
    expect(blocks.map((block) => decode(decoder, bytesOf(block)))).toEqual(expected);
  });

  test('decodes an integer of several octets as in the example C.1.2', () => {
    const value = 'v'.repeat(1_337 - 31 + 127);
    const rest = value.length - 127;
    const length = Buffer.from([0x7f, (rest & 0x7f) | 0x80, rest >> 7]);
    const block = Buffer.concat([bytesOf('000161'), length, Buffer.from(value)]);
    expect(decode(new HpackDecoder(), block)).toEqual([`a: ${value}`]);
  });

  test('forgets the entries of a table that is emptied, or for which an entry is too large', () => {
    const decoder = new HpackDecoder();
    const add = bytesOf('4001610162');
    expect(decode(decoder, Buffer.concat([add, bytesOf('be')]))).toEqual(['a: b', 'a: b']);
    expect(decode(decoder, bytesOf('20 3fe11f 82'))).toEqual([':method: GET']);
    expect(() => decode(decoder, bytesOf('be'))).toThrow('not in the table');
    decode(decoder, add);
    decode(decoder, Buffer.concat([bytesOf('400161 7f811f'), Buffer.alloc(127 + 3_969, 'x')]));
    expect(() => decode(decoder, bytesOf('be'))).toThrow('not in the table');
  });

  test.each([
    ['the index 0', '80'],
    ['an index beyond the table', 'be'],
    ['the name of an entry beyond the table', '7e00'],
    ['an integer that is too large', 'ff ffffffff7f'],
    ['an integer that never ends', 'ff 8080808080808000'],
    ['an integer in more octets than it needs', `000161 7f 808080808000 ${'61'.repeat(127)}`],
    ['an integer that breaks off', 'ff80'],
    ['a name that breaks off', '0003 6162'],
    ['a value that breaks off', '000161 05 6162'],
    ['a name without a value', '000161'],
    ['a table that is larger than permitted', '3fe21f'],
    ['a change of the table after a field', '8220'],
    ['padding of a string that is longer than 7 bits', '000161 82 1fff'],
    ['padding of a string that is not the end of the code', '000161 81 18'],
    ['the end of a string within it', '000161 84 ffffffff'],
  ])('refuses a block with %s', (_title, block) => {
    expect(() => decode(new HpackDecoder(), bytesOf(block))).toThrow(
      expect.objectContaining({ code: 'HTTP2_COMPRESSION_ERROR' }),
    );
  });
});

describe('encodeRequest', () => {
  const call: HttpCall = {
    method: 'GET',
    url: new URL('https://broker.example:8443/message?sessionId=1'),
    token: 't'.repeat(1_000),
    headers: { Accept: '*/*', 'x-own': '1', host: 'other', cookie: 'secret' },
    maxBytes: 1,
    timeoutMs: 1,
  };

  test('encodes a request that the decoder understands, without `host`', () => {
    const block = Buffer.from(encodeRequest(call), 'latin1');
    expect(decode(new HpackDecoder(), block)).toEqual([
      ...[':method: GET', ':scheme: https', ':authority: broker.example:8443'],
      ...[
        ':path: /message?sessionId=1',
        'accept: */*',
        'x-own: 1',
        'cookie: secret',
        `authorization: Bearer ${'t'.repeat(1_000)}`,
      ],
    ]);
  });

  test.each(['accept', 'x-own'])('encodes %s with its own value after one with another value', (name) => {
    const encoded = (value: string): string[] =>
      decode(
        new HpackDecoder(),
        Buffer.from(encodeRequest({ ...call, headers: { [name]: value } }), 'latin1'),
      );
    for (const value of ['1', '2', '2', '1']) expect(encoded(value)).toContain(`${name}: ${value}`);
  });

  test('marks secrets as never indexed, and adds nothing to the table', () => {
    const block = Buffer.from(encodeRequest(call), 'latin1');
    const at = block.indexOf('Bearer');
    /* A length of 1,007 has three octets, and the index 23 has two. */
    expect([...block.subarray(at - 5, at - 3)]).toEqual([0x1f, 23 - 15]);
    /* The cookie has the index 32, and a length of one octet. */
    const cookieAt = block.indexOf('secret');
    expect([...block.subarray(cookieAt - 3, cookieAt - 1)]).toEqual([0x1f, 32 - 15]);
    const decoder = new HpackDecoder();
    decode(decoder, block);
    expect(() => decode(decoder, bytesOf('be'))).toThrow('not in the table');
  });

  test.each([
    ['POST', undefined, [':method: POST', 'content-length: 0']],
    ['POST', 'caf\u00e9', [':method: POST', 'content-length: 5']],
    ['DELETE', undefined, [':method: DELETE']],
  ] as const)('encodes %s with the body %j', (method, body, expected) => {
    const block = encodeRequest({ ...call, url: new URL('http://a/'), method, body, headers: {} });
    const fields = decode(new HpackDecoder(), Buffer.from(block, 'latin1'));
    expect(fields.filter((field) => /method|length/.test(field))).toEqual(expected);
  });

  test.each([
    ['a line feed', { a: 'b\nc' }],
    ['a null character', { a: 'b\0' }],
    ['a character beyond ASCII', { a: 'caf\u00e9' }],
    ['a name with a colon', { ':path': '/admin' }],
    ['a name with a space', { 'a b': 'c' }],
    ['no name', { '': 'c' }],
  ])('refuses a header with %s', (_title, headers) => {
    expect(() => encodeRequest({ ...call, headers })).toThrow(expect.objectContaining({ type: 'Invalid' }));
  });
});

describe('AnswerHead', () => {
  const head = (...fields: readonly (readonly [string, string])[]): AnswerHead => {
    const all = new AnswerHead();
    for (const [name, value] of fields) all.field(name, value);
    return all;
  };

  test('keeps each value of a repeated header, and does not let a name change a prototype', () => {
    const { headers, status } = head(
      [':status', '200'],
      ['a', '1'],
      ['a', '2'],
      ['a', '3'],
      ['__proto__', 'x'],
    );
    expect(status).toBe(200);
    expect(headers['a']).toEqual(['1', '2', '3']);
    expect(Object.keys(headers)).toEqual(['a', '__proto__']);
  });

  test.each<[title: string, fields: (readonly [string, string])[]]>([
    ['a status that is not a number', [[':status', 'OK']]],
    ['a status below 100', [[':status', '099']]],
    [
      'two statuses',
      [
        [':status', '200'],
        [':status', '200'],
      ],
    ],
    [
      'a status after a header',
      [
        ['a', 'b'],
        [':status', '200'],
      ],
    ],
    [
      'another pseudo-header',
      [
        [':status', '200'],
        [':path', '/'],
      ],
    ],
    ['a name in upper case', [['A', 'b']]],
    ['a name with a space', [['a ', 'b']]],
    ['no name', [['', 'b']]],
    ['a line feed in a value', [['a', 'b\nc']]],
    ['a null character in a value', [['a', 'b\0']]],
    ['a space before a value', [['a', ' b']]],
    ['a header of a connection', [['transfer-encoding', 'chunked']]],
    ['more than 32 KiB', Array.from({ length: 900 }, () => ['a', 'bbbb'] as const)],
  ])('refuses %s', (_title, fields) => {
    expect(head(...fields).problem).toBeDefined();
  });
});
