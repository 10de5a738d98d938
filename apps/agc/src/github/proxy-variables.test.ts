import { expect, it } from '@jest/globals';
import { proxyVariables } from './proxy-variables.js';

it.each<[string, NodeJS.ProcessEnv, ReturnType<typeof proxyVariables>]>([
  ['no variable', {}, { url: undefined, noProxy: undefined }],
  ['no URL', { HTTPS_PROXY: '', https_proxy: '', NO_PROXY: 'a' }, { url: undefined, noProxy: 'a' }],
  ['upper case', { HTTPS_PROXY: 'http://p', NO_PROXY: 'a' }, { url: 'http://p', noProxy: 'a' }],
  ['lower case', { https_proxy: 'http://p', no_proxy: 'a' }, { url: 'http://p', noProxy: 'a' }],
  [
    'both cases',
    { HTTPS_PROXY: 'http://p', https_proxy: 'http://q', NO_PROXY: 'a', no_proxy: 'b' },
    { url: 'http://p', noProxy: 'a' },
  ],
  [
    'an empty variable in upper case',
    { HTTPS_PROXY: '', https_proxy: 'http://q' },
    { url: 'http://q', noProxy: undefined },
  ],
])('reads the proxy and its exceptions from the environment with %s', (_title, environment, expected) => {
  expect(proxyVariables(environment)).toEqual(expected);
});
