import { describe, expect, test } from '@jest/globals';
import { isRefused } from '../refusal.js';
import { isPublic } from './addresses.js';
import { Policy, type PolicyOptions } from './policy.js';

const policy = (options: Partial<PolicyOptions> = {}): Policy =>
  new Policy({ hosts: [], cidrs: [], ports: [443], ...options });

describe('the ranges that are not public', () => {
  test.each([
    ...['127.0.0.1', '127.255.255.255', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.0.1', '0.0.0.0'],
    ...['169.254.169.254', '100.64.0.1', '224.0.0.1', '255.255.255.255', '168.63.129.16', '198.18.0.1'],
    ...['::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe', 'fe80::1'],
    ...[
      'fe80::1%eth0',
      'fd00:ec2::254',
      'ff02::1',
      '64:ff9b::7f00:1',
      '::ffff:0:127.0.0.1',
      '100:0:0:1::1',
      '2002:7f00:1::',
      '2001:0:1::',
      'fec0::1',
    ],
    ...['localhost', '', '0x7f.1', '2130706433'],
  ])('contain %j', (address) => expect(isPublic(address)).toBe(false));

  test.each([
    '140.82.121.4',
    '8.8.8.8',
    '172.32.0.1',
    '2606:50c0:8000::153',
    '::ffff:8.8.8.8',
    '100.128.0.1',
  ])('do not contain %j', (address) => expect(isPublic(address)).toBe(true));
});

describe('the policy for hosts and ports', () => {
  const hosts = ['github.com', '*.actions.githubusercontent.com', '.example.com'];
  test.each([
    ['github.com', 443, undefined],
    ['api.github.com', 443, 'HostNotAllowed'],
    ['evilgithub.com', 443, 'HostNotAllowed'],
    ['github.com.evil.com', 443, 'HostNotAllowed'],
    ['pipelines.actions.githubusercontent.com', 443, undefined],
    ['a.b.actions.githubusercontent.com', 443, undefined],
    ['actions.githubusercontent.com', 443, 'HostNotAllowed'],
    ['xactions.githubusercontent.com', 443, 'HostNotAllowed'],
    ['example.com', 443, undefined],
    ['www.example.com', 443, undefined],
    ['github.com', 22, 'PortNotAllowed'],
    ['8.8.8.8', 443, 'HostNotAllowed'],
    ['127.0.0.1', 443, 'HostNotAllowed'],
  ])('with a list of hosts, evaluates %s:%i to %s', (host, port, reason) => {
    expect(policy({ hosts }).checkTarget(host, port)?.reason).toBe(reason);
  });

  test.each([
    ['anything.example', undefined],
    ['8.8.8.8', undefined],
    ['127.0.0.1', 'AddressNotAllowed'],
    ['::ffff:10.0.0.1', 'AddressNotAllowed'],
    ['169.254.169.254', 'AddressNotAllowed'],
  ])('without a list, evaluates %s to %s', (host, reason) => {
    expect(policy().checkTarget(host, 443)?.reason).toBe(reason);
  });

  test('names the range as the fix for an address in the list of hosts that is not public', () => {
    expect(policy({ hosts: ['10.1.2.3'] }).checkTarget('10.1.2.3', 443)?.message).toContain(
      'allow the range',
    );
    expect(policy({ hosts: ['8.8.8.8'] }).checkTarget('8.8.8.8', 443)).toBeUndefined();
  });

  test.each([
    ['10.1.2.3', undefined],
    ['::ffff:10.1.2.3', undefined],
    ['10.2.0.1', 'HostNotAllowed'],
    ['8.8.8.8', 'HostNotAllowed'],
    ['unlisted.example', undefined],
  ])('with a range of addresses, evaluates %s to %s', (host, reason) => {
    expect(policy({ cidrs: ['10.1.0.0/16'] }).checkTarget(host, 443)?.reason).toBe(reason);
  });
});

describe('the policy for addresses', () => {
  const reasonOf = (result: ReturnType<Policy['permit']>): unknown =>
    isRefused(result) ? result.reason : result;
  const hosts = ['github.com'];
  test.each([
    ['public addresses', { hosts }, ['140.82.121.4', '2606:50c0::1'], ['140.82.121.4', '2606:50c0::1']],
    ['the public addresses of a mixed answer', { hosts }, ['10.0.0.1', '140.82.121.4'], ['140.82.121.4']],
    ['no address of a private answer', { hosts }, ['10.0.0.1', '::1'], 'AddressNotAllowed'],
    [
      'no address of this machine',
      { hosts, ownAddresses: ['140.82.121.4'] },
      ['140.82.121.4'],
      'AddressNotAllowed',
    ],
    [
      'private addresses in an allowed range',
      { hosts, cidrs: ['10.0.0.0/8'] },
      ['10.0.0.1', '192.168.1.1'],
      ['10.0.0.1'],
    ],
    [
      'only IPv6 in a range of IPv6 that contains the mapped form of every IPv4 address',
      { hosts, cidrs: ['::/0'] },
      ['169.254.169.254', '::ffff:169.254.169.254', '::ffff:a9fe:a9fe', 'fd00::1'],
      ['fd00::1'],
    ],
    [
      'the IPv4 addresses of a range in the mapped form',
      { hosts, cidrs: ['::ffff:10.0.0.0/104'] },
      ['10.1.2.3', '::ffff:10.1.2.3', '169.254.169.254'],
      ['10.1.2.3', '::ffff:10.1.2.3'],
    ],
    [
      'the addresses of NAT64 in an allowed range, and no other of its prefix',
      { hosts, cidrs: ['64:ff9b::8c52:7000/116'] },
      ['64:ff9b::8c52:7904', '64:ff9b::a00:1'],
      ['64:ff9b::8c52:7904'],
    ],
    [
      'no address outside the range for a name that is not listed',
      { cidrs: ['10.0.0.0/8'] },
      ['8.8.8.8'],
      'HostNotAllowed',
    ],
  ])('allows %s', (_title, options, addresses, expected) => {
    expect(reasonOf(policy(options).permit('github.com', addresses))).toEqual(expected);
  });

  test.each([
    [{ hosts: ['*'] }, '"*" is not a host name'],
    [{ hosts: ['a b'] }, '"a b" is not a host name'],
    [{ hosts: ['https://x'] }, 'is not a host name'],
    [{ cidrs: ['10.0.0.0/33'] }, '"10.0.0.0/33" is not an address range'],
    [{ cidrs: ['10.0.0.0/'] }, 'is not an address range'],
    [{ cidrs: ['fe80::1%lo'] }, 'is not an address range'],
  ])('refuses the list %j', (options, message) => expect(() => policy(options)).toThrow(message));
});
