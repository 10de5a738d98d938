import { describe, expect, it } from '@jest/globals';
import { parseFlags } from '@interlock/service/flags';
import { proxyFlags } from './flags.js';

const definition = { name: 'egress-proxy', description: 'Test.', version: '0.1.0', flags: proxyFlags };

describe('the flags of the proxy', () => {
  it.each([
    [{ PROXY_PORT: '9000' }, { bindAddress: { host: undefined, port: 9000 } }],
    [{ PROXY_HEALTH_PORT: '9001' }, { healthProbeBindAddress: { host: undefined, port: 9001 } }],
    [{ PROXY_SHUTDOWN_LINGER: '-1s' }, { shutdownLinger: 0 }],
    [{ PROXY_SHUTDOWN_LINGER: '2s' }, { shutdownLinger: 2_000 }],
    [{ PROXY_ALLOWED_PORTS: '443,8443' }, { allowedPorts: [443, 8443] }],
    [{ PROXY_ALLOWED_HOST_SUFFIXES: '' }, { allowedHosts: [] }],
    [{ LOG_LEVEL: 'debug', INTERLOCK_LOG_LEVEL: 'warn' }, { logLevel: 'warn' }],
  ])('are set by the variables %j', (variables, expected) => {
    expect(parseFlags(definition, [], variables)).toMatchObject({ values: expected });
  });

  it.each([
    [{ PROXY_PORT: 'tcp://10.0.0.1:80' }, '"tcp://10.0.0.1:80" is not a port; write a number'],
    [{ PROXY_PORT: '99999' }, '"99999" is not a port'],
    [{ PROXY_HEALTH_PORT: '-1' }, '"-1" is not a port'],
    [{ PROXY_ALLOWED_PORTS: '443,x' }, '"x" is not a port'],
    [{ PROXY_ALLOWED_PORTS: ',' }, 'there is no port; write one, such as 443'],
    [{ PROXY_ALLOWED_HOST_SUFFIXES: '*' }, '"*" is not a host name; write a name, or *.suffix'],
    [{ PROXY_ALLOWED_CIDRS: '10.0.0.0/33' }, '"10.0.0.0/33" is not an address range; write one such as'],
    [{ PROXY_DIAL_TIMEOUT: '10' }, '"10" has no unit; write for example 90s'],
    [{ PROXY_SHUTDOWN_LINGER: '-x' }, '"x" is not a duration'],
    [{ PROXY_SHUTDOWN_DRAIN_TIMEOUT: '-4s' }, 'it must be 0 or more'],
    [{ LOG_LEVEL: 'verbose' }, 'write one of trace, debug'],
  ])('refuse the variables %j by name', (variables, reason) => {
    const [[name, value] = ['', '']] = Object.entries(variables);
    const text = `invalid value ${JSON.stringify(value)} for environment variable ${name}: ${reason}`;
    expect(() => parseFlags(definition, [], variables)).toThrow(text);
  });

  it.each([
    ['--bind-address=0', 'this address cannot be disabled; write host:port'],
    ['--allowed-hosts=https://github.com', '"https://github.com" is not a host name'],
    ['--allowed-cidrs=10.0.0.0/8,10.0.0.0/33', '"10.0.0.0/33" is not an address range'],
    ['--allowed-ports=0', '"0" is not a port'],
    ['--allowed-ports=', 'there is no port'],
  ])('refuse %s by name', (argument, reason) => {
    const [name, value] = argument.split('=');
    const text = `invalid value "${value}" for flag ${name}: ${reason}`;
    expect(() => parseFlags(definition, [argument], {})).toThrow(text);
  });
});
