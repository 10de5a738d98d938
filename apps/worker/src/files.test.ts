import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, describe, expect, it } from '@jest/globals';
import { parseWorkerReport } from '@interlock/api/worker-report';
import { trustAuthorities } from './certificates.js';
import { Misconfigured } from './misconfigured.js';
import { runnerFile, writeRunnerFile } from './runner-file.js';
import { startRunner } from './runner-process.js';
import { readWorkerSettings } from './settings.js';
import { TerminationMessage } from './termination-message.js';
import { temporaryFolder } from './testing/folder.js';

const { path: root, remove } = temporaryFolder();
afterAll(remove);

describe('.runner', () => {
  it.each([
    ['https://github.com/acme', 'True'],
    ['https://acme.ghe.com/acme', 'True'],
    ['https://ghes.example.com/acme', 'False'],
    ['https://github.com.example.com/acme', 'False'],
  ])('of a runner at %s states whether GitHub hosts the server: %s', (url, isHostedServer) => {
    const settings = readWorkerSettings({
      RUNNER_NAME: 'r',
      RUNNER_AGENT_ID: '9007199254740993',
      RUNNER_GITHUB_URL: url,
    });
    expect(JSON.parse(runnerFile(settings))).toEqual({
      agentId: '9007199254740993',
      agentName: 'r',
      workFolder: '_work',
      disableUpdate: 'True',
      ephemeral: 'True',
      gitHubUrl: url,
      isHostedServer,
    });
  });

  it('replaces an earlier file, and is readable only by its owner', () => {
    const runnerHome = join(root, 'home');
    mkdirSync(runnerHome);
    writeFileSync(join(runnerHome, '.runner'), 'old', { mode: 0o644 });
    writeRunnerFile({ ...readWorkerSettings({ RUNNER_NAME: 'r' }), runnerHome });
    expect(JSON.parse(readFileSync(join(runnerHome, '.runner'), 'utf8'))).toMatchObject({ agentName: 'r' });
    expect(statSync(join(runnerHome, '.runner')).mode & 0o777).toBe(0o600);
  });

  it('is not written if there is no runner, and the error names the path', () => {
    const runnerHome = join(root, 'none');
    expect(() => writeRunnerFile({ ...readWorkerSettings({ RUNNER_NAME: 'r' }), runnerHome })).toThrow(
      `cannot write ${runnerHome}/.runner (ENOENT); use an image with the GitHub Actions runner`,
    );
  });
});

describe('the runner', () => {
  it.each([
    ['that is missing', 'ENOENT'],
    ['below a file', 'ENOTDIR'],
  ])('%s is not started, and the error names its path', async (title, code) => {
    const home = join(root, code);
    mkdirSync(home);
    if (title === 'below a file') writeFileSync(join(home, 'bin'), '');
    const started = startRunner(home, {});
    await expect(started).rejects.toBeInstanceOf(Misconfigured);
    await expect(started).rejects.toThrow(`cannot start ${home}/bin/Runner.Worker (${code})`);
  });
});

describe('the bundle of authorities', () => {
  const own = join(root, 'own.pem');
  const system = join(root, 'system.pem');
  writeFileSync(own, '-----BEGIN CERTIFICATE-----\nown\n-----END CERTIFICATE-----\n');
  writeFileSync(system, '-----BEGIN CERTIFICATE-----\nsystem\n-----END CERTIFICATE-----\n');

  it('contains the authorities of the system and the configured authorities, and can be removed', () => {
    const trusted = trustAuthorities([own], { SSL_CERT_FILE: system });
    const bundle = trusted.env['SSL_CERT_FILE'] ?? '';
    expect(trusted.env).toEqual({
      SSL_CERT_FILE: bundle,
      NODE_EXTRA_CA_CERTS: bundle,
      CURL_CA_BUNDLE: bundle,
      GIT_SSL_CAINFO: bundle,
      GIT_PROXY_SSL_CAINFO: bundle,
      REQUESTS_CA_BUNDLE: bundle,
    });
    expect(readFileSync(bundle, 'utf8')).toMatch(/\nsystem\n[^]*\nown\n/);
    trusted.remove();
    expect(existsSync(bundle)).toBe(false);
  });

  it('contains the authorities that the pod template has set for Node.js, curl, git and Python', () => {
    const files = ['NODE_EXTRA_CA_CERTS', 'CURL_CA_BUNDLE', 'GIT_SSL_CAINFO', 'REQUESTS_CA_BUNDLE'].map(
      (name) => {
        const file = join(root, name);
        writeFileSync(file, `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`);
        return [name, file] as const;
      },
    );
    const trusted = trustAuthorities([own], { SSL_CERT_FILE: system, ...Object.fromEntries(files) });
    const text = readFileSync(trusted.env['SSL_CERT_FILE'] ?? '', 'utf8');
    for (const [name] of files) expect(text).toContain(`\n${name}\n`);
    trusted.remove();
    const lost = trustAuthorities([own], { SSL_CERT_FILE: system, NODE_EXTRA_CA_CERTS: join(root, 'lost') });
    expect(readFileSync(lost.env['SSL_CERT_FILE'] ?? '', 'utf8')).toMatch(/\nsystem\n[^]*\nown\n/);
    lost.remove();
  });

  it('is readable by the other users of a job', () => {
    const trusted = trustAuthorities([own], { SSL_CERT_FILE: system });
    const bundle = trusted.env['SSL_CERT_FILE'] ?? '';
    expect([bundle, dirname(bundle)].map((path) => statSync(path).mode & 0o777)).toEqual([0o644, 0o755]);
    trusted.remove();
  });

  it('contains public authorities on any machine', () => {
    const trusted = trustAuthorities([own], {});
    const text = readFileSync(trusted.env['SSL_CERT_FILE'] ?? '', 'utf8');
    expect(text.split('BEGIN CERTIFICATE').length).toBeGreaterThan(Math.min(50, rootCertificates.length));
    trusted.remove();
  });

  it('does not exist without configured authorities', () => {
    expect(trustAuthorities([], {}).env).toEqual({});
  });

  it.each([
    ['a missing file', join(root, 'lost.pem'), '(ENOENT)'],
    ['a folder', root, 'is not a file'],
    ['a file without a certificate', join(root, 'text.pem'), 'has no PEM certificate'],
  ])('is refused for %s', (_title, file, message) => {
    writeFileSync(join(root, 'text.pem'), 'text');
    expect(() => trustAuthorities([file], {})).toThrow(message);
    expect(() => trustAuthorities([file], {})).toThrow(file);
  });

  it('is refused if it cannot be written, and the error names the folder', () => {
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = join(root, 'no-temporary-files');
    try {
      const write = (): unknown => trustAuthorities([own], {});
      expect(write).toThrow(Misconfigured);
      expect(write).toThrow(`into ${root}/no-temporary-files (ENOENT); mount a volume there, or set TMPDIR`);
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
  });
});

describe('the termination message', () => {
  it('is replaced completely by a shorter message', () => {
    const path = join(root, 'message');
    writeFileSync(path, '');
    const message = new TerminationMessage(path);
    message.write({ jobSent: false, problem: 'a long sentence about what is wrong' });
    message.write({ jobSent: true });
    expect(parseWorkerReport(readFileSync(path, 'utf8'))).toEqual({ jobSent: true });
  });

  it('is refused if the kubelet has not created the file', () => {
    const path = join(root, 'no-message');
    expect(() => new TerminationMessage(path).write({ jobSent: false })).toThrow(
      `cannot write the termination message ${path} (ENOENT)`,
    );
    expect(existsSync(path)).toBe(false);
  });
});
