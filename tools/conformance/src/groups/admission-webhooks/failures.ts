import { createServer } from 'node:net';
import { expect } from 'expect';
import type { Answer } from '../../suite/api.js';
import type { Rule } from '../../suite/case.js';
import { issueCertificate } from '../../suite/certificates.js';
import type { Scope } from '../../suite/scope.js';
import type { ReviewHandler } from '../../suite/webhook-server.js';
import {
  allow,
  deny,
  hookName,
  patched,
  type StartWebhooks,
  type HookOptions,
  type Webhooks,
} from '../../suite/webhooks.js';

const kind = 'ValidatingWebhookConfiguration';

function expectFailure({ status, body }: Answer, hook: string, why: string): void {
  expect({ status, reason: body.reason }).toEqual({ status: 500, reason: 'InternalError' });
  expect(body.message).toContain(`failed calling webhook "${hookName(hook)}": ${why}`);
}

/** Checks that a request whose webhook fails is refused with failurePolicy Fail, and accepted with Ignore. */
async function checkPolicies(
  scope: Scope,
  startWebhooks: StartWebhooks,
  hookOf: (hooks: Webhooks, hook: string) => HookOptions,
  why = 'failed to call webhook:',
): Promise<void> {
  const [failing, ignoring] = [await startWebhooks(scope), await startWebhooks(scope)];
  await failing.register(kind, { fail: hookOf(failing, 'fail') });
  const { fields, ...ignored } = hookOf(ignoring, 'ignore');
  await ignoring.register(kind, { ignore: { ...ignored, fields: { ...fields, failurePolicy: 'Ignore' } } });
  const name = scope.name('object');
  const refused = await scope.api.post(scope.core('configmaps'), failing.object(name));
  expectFailure(refused, 'fail', why);
  expect((await scope.api.get(scope.core('configmaps', name))).status).toBe(404);
  expect((await scope.api.post(scope.core('configmaps'), ignoring.object(name))).status).toBe(201);
}

/** Returns an unused port. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('the server had no port');
  return address.port;
}

/** Declares the rules about requests whose webhook fails. */
export function failureRules(rule: Rule, startWebhooks: StartWebhooks): void {
  const check = (scope: Scope, hookOf: (hooks: Webhooks, hook: string) => HookOptions, why?: string) =>
    checkPolicies(scope, startWebhooks, hookOf, why);

  rule(
    'refuses with failurePolicy Fail when the webhook does not listen, and passes with Ignore',
    async (scope) => {
      const port = await freePort();
      await check(scope, (hooks, hook) => ({
        fields: { clientConfig: hooks.client(hook, { port }), timeoutSeconds: 5 },
      }));
    },
  );

  rule(
    'refuses with failurePolicy Fail when the Service does not exist, naming its address and port, and passes with Ignore',
    async (scope) => {
      const name = scope.name('nowhere');
      const hookOf = (hooks: Webhooks, hook: string): HookOptions => ({
        fields: { clientConfig: hooks.client(hook, { name, port: 443 }) },
      });
      await check(scope, hookOf, `failed to call webhook: Post "https://${name}.${scope.namespace}.svc:443/`);
    },
  );

  rule('calls a webhook only when its certificate is of an authority of caBundle', async (scope) => {
    const { authority } = await issueCertificate('other');
    const caBundle = Buffer.from(authority).toString('base64');
    await check(scope, (hooks, hook) => ({
      fields: { clientConfig: { ...hooks.client(hook), caBundle } },
    }));
  });

  rule('calls a webhook only when its certificate is for the name of the Service', async (scope) => {
    const [namespace, name] = [await scope.ownNamespace(), scope.name('other')];
    await scope.api.post(`/api/v1/namespaces/${namespace}/services`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { type: 'ExternalName', externalName: scope.webhookHost },
    });
    await check(scope, (hooks, hook) => ({
      fields: { clientConfig: hooks.client(hook, { namespace, name }) },
    }));
  });

  rule('refuses with failurePolicy Fail when timeoutSeconds pass, and passes with Ignore', async (scope) => {
    const never: ReviewHandler = () => 'never';
    await check(scope, () => ({ handler: never, fields: { timeoutSeconds: 1 } }));
  });

  rule('takes an answer with an error status for a failure', async (scope) => {
    const handler: ReviewHandler = () => ({ status: 500, body: '{"broken":true}' });
    await check(scope, () => ({ handler }));
  });

  rule('takes an answer that is not JSON for a failure', async (scope) => {
    const handler: ReviewHandler = () => ({ body: 'nonsense' });
    await check(scope, () => ({ handler }));
  });

  rule('takes an AdmissionReview without a response for a failure', async (scope) => {
    const body = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' });
    await check(scope, () => ({ handler: () => ({ body }) }), 'received invalid webhook response:');
  });

  rule('takes an answer with the uid of another request for a failure', async (scope) => {
    const uid = '11111111-2222-3333-4444-555555555555';
    await check(
      scope,
      () => ({ handler: () => allow({ uid }) }),
      'received invalid webhook response: expected response.uid=',
    );
  });

  rule('takes an answer in another version for a failure', async (scope) => {
    const handler: ReviewHandler = ({ request: { uid } }) => ({
      body: JSON.stringify({
        apiVersion: 'admission.k8s.io/v2',
        kind: 'AdmissionReview',
        response: { uid, allowed: true },
      }),
    });
    await check(scope, () => ({ handler }), '');
  });

  rule('refuses what a webhook denies also with failurePolicy Ignore', async (scope) => {
    const hooks = await startWebhooks(scope);
    await hooks.register(kind, { no: { handler: () => deny(), fields: { failurePolicy: 'Ignore' } } });
    const denied = await scope.api.post(scope.core('configmaps'), hooks.object(scope.name('denied')));
    expect(denied.status).toBe(400);
    expect(denied.body.message).toContain(`admission webhook "${hookName('no')}" denied the request`);
  });

  rule(
    'leaves out the change of a mutating webhook that fails with Ignore, and asks the next',
    async (scope) => {
      const hooks = await startWebhooks(scope);
      await hooks.register('MutatingWebhookConfiguration', {
        broken: { handler: () => ({ body: 'nonsense' }), fields: { failurePolicy: 'Ignore' } },
        works: { handler: () => patched({ op: 'add', path: '/data/works', value: 'yes' }) },
      });
      const object = hooks.object(scope.name('partly'), { x: 'y' });
      const created = await scope.api.post(scope.core('configmaps'), object);
      expect(created.status).toBe(201);
      expect(created.body.data).toEqual({ x: 'y', works: 'yes' });
      expect(hooks.asked('broken')).toHaveLength(1);
    },
  );

  rule(
    'refuses a request when a mutating webhook fails with failurePolicy Fail, the default',
    async (scope) => {
      const hooks = await startWebhooks(scope);
      await hooks.register('MutatingWebhookConfiguration', {
        broken: { handler: () => ({ status: 503, body: '{}' }) },
      });
      const refused = await scope.api.post(scope.core('configmaps'), hooks.object(scope.name('refused')));
      expectFailure(refused, 'broken', 'failed to call webhook:');
    },
  );
}
