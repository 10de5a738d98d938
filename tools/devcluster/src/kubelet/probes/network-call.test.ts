import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../schema/types.js';
import { httpGet, tcpSocket } from './network-call.js';

describe('a probe that cannot be sent', () => {
  it.each<[string, JsonObject]>([
    ['a header whose name is not a token', { port: 80, httpHeaders: [{ name: 'not a name', value: '' }] }],
    ['a header whose value has a line break', { port: 80, httpHeaders: [{ name: 'A', value: 'b\nc' }] }],
    ['a host that is not a name', { port: 80, host: 'not a host' }],
    ['a port that does not exist', { port: 65_536 }],
    ['the name of a port that the container does not have', { port: 'web' }],
  ])('fails because of %s', async (_title, get) => {
    expect(await httpGet(get, {}, '127.0.0.1', 1000)).toMatchObject({ isSuccess: false });
  });

  it('fails because of an invalid port', async () => {
    expect(await tcpSocket({ port: 65_536 }, {}, '127.0.0.1', 1000)).toMatchObject({ isSuccess: false });
  });
});
