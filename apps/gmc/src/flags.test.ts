import { describe, expect, it } from '@jest/globals';
import { parseFlags } from '@interlock/service/flags';
import { gmcFlags } from './flags.js';

const definition = { name: 'gmc', description: 'Test.', version: '0.1.0', flags: gmcFlags };

describe('the flags of the gmc', () => {
  it.each([
    ['--extra-egress-cidrs=10.0.0.0/8,2001:db8::/32'],
    ['--api-server-cidrs=10.0.0.1/32'],
    ['--allowed-hosts=github.com,*.example.com,.example.org,_srv.example.com,fd00::1'],
    ['--github-meta-url=none'],
    ['--github-meta-url=http://meta.example.com/api/v3/meta'],
    ['--api-server-addresses=10.96.0.1,fd00::1,api.example.com'],
    ['--tenant-role=system:agc'],
  ])('accept %s', (argument) => {
    expect(parseFlags(definition, [argument], {})).toHaveProperty('values');
  });

  it.each([
    ['--extra-egress-cidrs=10.0.0.0/8,10.0.0.0/99', '"10.0.0.0/99" is not a network'],
    ['--extra-egress-cidrs=10.0.0.5', '"10.0.0.5" is not a network'],
    ['--api-server-cidrs=10.0.300.0/24', '"10.0.300.0/24" is not a network'],
    ['--allowed-hosts=a..b', '"a..b" is not a host name'],
    ['--allowed-hosts=*', '"*" is not a host name'],
    ['--allowed-hosts=https://a.example.com', 'is not a host name'],
    ['--github-meta-url=', '"" is not a URL such as https://api.github.com/meta; write none'],
    ['--github-meta-url=api.github.com/meta', '"api.github.com/meta" is not a URL'],
    ['--github-meta-url=file:///etc/meta', 'is not a URL'],
    ['--api-server-addresses=[fd00::1]', '"[fd00::1]" is not an address without brackets or a host name'],
    ['--api-server-addresses=10.0.0.1 10.0.0.2', 'is not an address'],
    ['--api-server-addresses=https://10.0.0.1', 'is not an address'],
    ['--api-server-addresses=*.example.com', 'is not an address'],
    ['--tenant-role=', '"" is not the name of a ClusterRole'],
  ])('refuse %s, which would make all tenants unready', (argument, reason) => {
    expect(() => parseFlags(definition, [argument], {})).toThrow(reason);
  });
});
