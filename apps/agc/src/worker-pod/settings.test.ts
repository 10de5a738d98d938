import { describe, expect, it } from '@jest/globals';
import { parseFlags } from '@interlock/service/flags';
import { agcFlags } from '../flags.js';
import { workerSettings } from './settings.js';

function proxyUrlOf(args: readonly string[]): string | undefined {
  const definition = { name: 'agc', description: 'test', version: '0', flags: agcFlags };
  const parsed = parseFlags(definition, ['--github-url=https://github.com/acme', ...args], {});
  if ('text' in parsed) throw new Error(parsed.text);
  return workerSettings(parsed.values, 'program', { HTTPS_PROXY: 'https://proxy:8080' }).proxyUrl;
}

describe('workerSettings', () => {
  it('sends workers through the proxy of the controller, or through the URL that is for workers', () => {
    expect(proxyUrlOf([])).toBe('https://proxy:8080');
    expect(proxyUrlOf(['--worker-proxy-url=http://proxy:8080'])).toBe('http://proxy:8080');
  });
});
