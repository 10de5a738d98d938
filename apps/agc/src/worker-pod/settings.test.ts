import { describe, expect, it } from '@jest/globals';
import { parseFlags } from '@interlock/service/flags';
import { agcFlags } from '../flags.js';
import { workerSettings } from './settings.js';

const upperCase = { HTTPS_PROXY: 'https://proxy:8080' };

function settingsOf(args: readonly string[], environment: NodeJS.ProcessEnv = upperCase) {
  const definition = { name: 'agc', description: 'test', version: '0', flags: agcFlags };
  const parsed = parseFlags(definition, ['--github-url=https://github.com/acme', ...args], {});
  if ('text' in parsed) throw new Error(parsed.text);
  return workerSettings(parsed.values, 'program', environment);
}

describe('workerSettings', () => {
  it('sends workers through the proxy of the controller, or through the URL that is for workers', () => {
    expect(settingsOf([]).proxyUrl).toBe('https://proxy:8080');
    expect(settingsOf(['--worker-proxy-url=http://proxy:8080']).proxyUrl).toBe('http://proxy:8080');
  });

  it('reads variables in lower case as the controller does', () => {
    const lowerCase = { https_proxy: 'http://proxy:8080', no_proxy: 'ghes.internal' };
    expect(settingsOf([], lowerCase)).toMatchObject({
      proxyUrl: 'http://proxy:8080',
      noProxy: 'ghes.internal',
    });
    const noProxy = settingsOf(['--worker-proxy-url=http://proxy:8080'], {
      no_proxy: 'ghes.internal',
    }).noProxy;
    expect(noProxy).toBe('ghes.internal');
  });
});
