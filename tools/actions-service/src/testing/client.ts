import { createPrivateKey, createSign, randomUUID, sign, constants, type KeyObject } from 'node:crypto';
import { Agent, request, type Dispatcher } from 'undici';
import type { ActionsService } from '../index.js';

type JsonObject = Record<string, unknown>;

/** Returns the value at a path of names in a JSON value. */
export function field(value: unknown, ...names: (string | number)[]): unknown {
  return names.reduce<unknown>((inner, name) => (inner as JsonObject | undefined)?.[name], value);
}

const textAt = (value: unknown, ...names: (string | number)[]): string => String(field(value, ...names));

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The body as JSON; ids beyond 2^53 are rounded. */
  json: JsonObject;
}

interface SendOptions {
  token?: string | undefined;
  scheme?: string;
  body?: unknown;
  form?: Record<string, string>;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
}

interface TestRunner {
  id: number;
  clientId: string;
  tokenUrl: string;
  brokerUrl: string;
  key: KeyObject;
}

interface JobOffer {
  requestId: string;
  runUrl: string;
}

/** A job that was acquired. */
interface HeldJob {
  url: string;
  token: string;
  planId: string;
  jobId: string;
  results: string;
  payload: string;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');

/** A client that makes the calls of a test, valid or not. */
export class TestClient {
  readonly #dispatcher: Dispatcher;

  constructor(
    readonly service: ActionsService,
    readonly now: () => number,
    options: Agent.Options = {},
  ) {
    this.#dispatcher = new Agent({
      connections: null,
      headersTimeout: 0,
      bodyTimeout: 0,
      ...(service.ca === undefined ? {} : { connect: { ca: service.ca } }),
      ...options,
    });
  }

  close(): Promise<void> {
    return this.#dispatcher.destroy();
  }

  async send(method: string, url: string, options: SendOptions = {}): Promise<Answer> {
    const { token, scheme = 'Bearer', body, form, signal } = options;
    const response = await request(url, {
      dispatcher: this.#dispatcher,
      method: method as Dispatcher.HttpMethod,
      ...(signal !== undefined && { signal }),
      headers: {
        'user-agent': 'actions-service-test',
        ...(token !== undefined && { authorization: `${scheme} ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...options.headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(form !== undefined && { body: new URLSearchParams(form).toString() }),
    });
    const text = await response.body.text();
    return { status: response.statusCode, headers: response.headers, text, json: parse(text) };
  }

  appJwt(claims: Record<string, unknown> = {}, key = this.service.app.privateKey): string {
    const now = Math.floor(this.now() / 1000);
    const text = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({
      iss: String(this.service.app.id),
      iat: now - 60,
      exp: now + 540,
      ...claims,
    })}`;
    return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
  }

  async installationToken(): Promise<string> {
    const url = `${this.service.urls.rest}/app/installations/${String(this.service.installationId)}/access_tokens`;
    const { json } = await this.send('POST', url, { token: this.appJwt() });
    return String(json['token']);
  }

  rest(method: string, path: string, token: string, body?: unknown): Promise<Answer> {
    return this.send(method, `${this.service.urls.rest}/${path}`, {
      token,
      body,
    });
  }

  async register(token: string, name: string, labels = ['linux'], scope = 'orgs/acme'): Promise<TestRunner> {
    const answer = await this.rest('POST', `${scope}/actions/runners/generate-jitconfig`, token, {
      name,
      runner_group_id: 1,
      labels,
    });
    if (answer.status !== 201) throw new Error(`generate-jitconfig: ${String(answer.status)} ${answer.text}`);
    return readJitConfig(
      String(answer.json['encoded_jit_config']),
      Number(field(answer.json, 'runner', 'id')),
    );
  }

  assertion(
    runner: TestRunner,
    claims: Record<string, unknown> = {},
    alg: 'RS256' | 'PS256' = 'RS256',
  ): string {
    const nbf = Math.floor(this.now() / 1000);
    const text = `${encode({ typ: 'JWT', alg })}.${encode({
      iss: runner.clientId,
      sub: runner.clientId,
      aud: runner.tokenUrl,
      jti: randomUUID(),
      nbf,
      exp: nbf + 300,
      ...claims,
    })}`;
    const key =
      alg === 'RS256'
        ? { key: runner.key }
        : { key: runner.key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
  }

  exchange(runner: TestRunner, assertion = this.assertion(runner)): Promise<Answer> {
    return this.send('POST', runner.tokenUrl, {
      form: {
        grant_type: 'client_credentials',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
      },
    });
  }

  async runnerToken(runner: TestRunner): Promise<string> {
    const { json, text } = await this.exchange(runner);
    if (typeof json['access_token'] !== 'string') throw new Error(`token: ${text}`);
    return json['access_token'];
  }

  createSession(runner: TestRunner, token: string, version = '2.335.1', path = 'session'): Promise<Answer> {
    return this.send('POST', `${runner.brokerUrl}${path}`, {
      token,
      body: {
        sessionId: '00000000-0000-0000-0000-000000000000',
        ownerName: 'test',
        agent: { id: runner.id, name: 'runner', version, osDescription: 'Linux' },
        useFipsEncryption: false,
      },
    });
  }

  /** Returns a session that is ready to be polled. */
  async connect(token: string, name: string, labels = ['linux'], sessions = 'session'): Promise<TestSession> {
    const runner = await this.register(token, name, labels);
    const access = await this.runnerToken(runner);
    const { json, text } = await this.createSession(runner, access, '2.335.1', sessions);
    if (typeof json['sessionId'] !== 'string') throw new Error(`session: ${text}`);
    return new TestSession(this, runner, access, json['sessionId']);
  }
}

/** The session of a runner. */
export class TestSession {
  constructor(
    readonly client: TestClient,
    readonly runner: TestRunner,
    readonly token: string,
    readonly id: string,
  ) {}

  poll(status = 'Online', signal?: AbortSignal): Promise<Answer> {
    const query = new URLSearchParams({
      sessionId: this.id,
      status,
      runnerVersion: '2.335.1',
      os: 'Linux',
      architecture: 'X64',
      disableUpdate: 'true',
    });
    return this.client.send('GET', `${this.runner.brokerUrl}message?${query.toString()}`, {
      token: this.token,
      signal,
    });
  }

  /** Polls, and returns the job that is offered. */
  async offer(): Promise<JobOffer> {
    return offerOf(await this.poll());
  }

  acquire({ requestId, runUrl }: JobOffer): Promise<Answer> {
    return this.client.send('POST', `${runUrl}acquirejob`, {
      token: this.token,
      body: { jobMessageId: requestId, runnerOS: 'Linux', billingOwnerId: 'x' },
    });
  }

  /** Waits for a job, and acquires it. */
  async take(): Promise<HeldJob> {
    return heldJob(await this.acquire(await this.offer()));
  }

  renew(job: HeldJob, token = job.token): Promise<Answer> {
    return this.client.send('POST', `${job.url}renewjob`, {
      token,
      body: { planId: job.planId, jobId: job.jobId },
    });
  }

  complete(job: HeldJob, conclusion = 'succeeded'): Promise<Answer> {
    return this.client.send('POST', `${job.url}completejob`, {
      token: job.token,
      body: { planId: job.planId, jobId: job.jobId, conclusion },
    });
  }

  start(job: HeldJob, workerId = 'worker-1'): Promise<Answer> {
    return this.client.send('POST', `${job.results}started`, { token: job.token, body: { workerId } });
  }
}

export function offerOf(answer: Answer): JobOffer {
  if (answer.status !== 200) throw new Error(`no message: ${String(answer.status)} ${answer.text}`);
  const body = JSON.parse(String(answer.json['body'])) as Record<string, string>;
  return { requestId: body['runner_request_id'] ?? '', runUrl: body['run_service_url'] ?? '' };
}

export function heldJob(answer: Answer): HeldJob {
  if (answer.status !== 200) throw new Error(`not acquired: ${String(answer.status)} ${answer.text}`);
  const endpoint = field(answer.json, 'resources', 'endpoints', 0);
  return {
    url: textAt(endpoint, 'url'),
    token: textAt(endpoint, 'authorization', 'parameters', 'AccessToken'),
    planId: String(answer.headers['x-plan-id']),
    jobId: textAt(answer.json, 'jobId'),
    results: textAt(endpoint, 'data', 'ResultsServiceUrl'),
    payload: answer.text,
  };
}

function readJitConfig(encoded: string, id: number): TestRunner {
  const file = (text = ''): JsonObject =>
    JSON.parse(Buffer.from(text, 'base64').toString('utf8')) as JsonObject;
  const files = file(encoded);
  const settings = file(textAt(files, '.runner'));
  const credentials = file(textAt(files, '.credentials'));
  const rsa = file(textAt(files, '.credentials_rsaparams'));
  const part = (name: string): string => Buffer.from(textAt(rsa, name), 'base64').toString('base64url');
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'RSA',
      n: part('modulus'),
      e: part('exponent'),
      d: part('d'),
      p: part('p'),
      q: part('q'),
      dp: part('dp'),
      dq: part('dq'),
      qi: part('inverseQ'),
    },
  });
  return {
    id,
    clientId: textAt(credentials, 'Data', 'ClientId'),
    tokenUrl: textAt(credentials, 'Data', 'AuthorizationUrl'),
    brokerUrl: textAt(settings, 'ServerUrlV2'),
    key,
  };
}

function parse(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return {};
  }
}
