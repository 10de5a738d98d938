import { describe, expect, it } from '@jest/globals';
import { readWorkerSettings, runnerEnvironment } from './settings.js';

const named = { RUNNER_NAME: 'runner-1' };

describe('readWorkerSettings', () => {
  it('returns the defaults', () => {
    expect(readWorkerSettings(named)).toEqual({
      payloadFolder: '/run/secrets/job-payload',
      runnerHome: '/home/runner',
      runnerName: 'runner-1',
      runnerId: '0',
      gitHubUrl: undefined,
      shutdownGraceMs: 25_000,
      caFiles: [],
    });
  });

  it.each([
    ['0s', 0],
    ['90s', 90_000],
    ['1m30s', 90_000],
    ['10m', 600_000],
    ['1h', 3_600_000],
  ])('reads the grace period %s as %i ms', (text, ms) => {
    expect(readWorkerSettings({ ...named, WORKER_SHUTDOWN_GRACE: text }).shutdownGraceMs).toBe(ms);
  });

  it('returns the configured files of authorities', () => {
    const env = { ...named, PROXY_CA_CERT_PATH: '/a.pem', GITHUB_CA_CERT_PATH: '' };
    expect(readWorkerSettings(env).caFiles).toEqual(['/a.pem']);
  });

  it.each<[string, Record<string, string>]>([
    ['RUNNER_NAME', { RUNNER_NAME: '' }],
    ['RUNNER_NAME', { RUNNER_NAME: 'x'.repeat(256) }],
    ['RUNNER_AGENT_ID', { RUNNER_AGENT_ID: '-1' }],
    ['RUNNER_AGENT_ID', { RUNNER_AGENT_ID: '1e3' }],
    ['RUNNER_GITHUB_URL', { RUNNER_GITHUB_URL: 'acme' }],
    ['WORKER_SHUTDOWN_GRACE', { WORKER_SHUTDOWN_GRACE: '25' }],
    ['WORKER_SHUTDOWN_GRACE', { WORKER_SHUTDOWN_GRACE: '2h' }],
    ['WORKER_SHUTDOWN_GRACE', { WORKER_SHUTDOWN_GRACE: '-1s' }],
  ])('refuses an invalid %s and states what to set', (name, env) => {
    expect(() => readWorkerSettings({ ...named, ...env })).toThrow(new RegExp(`^${name} .*; set it to`));
  });
});

describe('runnerEnvironment', () => {
  it('omits the variables of the program', () => {
    const env = { ...named, PAYLOAD_SECRET_PATH: '/x', WORKER_SHUTDOWN_GRACE: '1s', HTTPS_PROXY: 'http://p' };
    expect(runnerEnvironment(env)).toEqual({ HTTPS_PROXY: 'http://p' });
  });
});
