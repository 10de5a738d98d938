// @ts-check
/**
 * An SCM plugin in one file, for a forge whose REST API is like that of Gitea. It imports types only: all that it needs at
 * run time comes with the context of `connect`.
 *
 *     promoter --scm-plugin ./my-forge.mjs
 *
 * @import {
 *   CallOptions, ExternalScmContext, ExternalScmPlugin, PullRequestInfo, ScmConnection, ScmRepository, ScmToolkit,
 * } from '@interlock/scm'
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** @type {ExternalScmPlugin} */
export const plugin = {
  apiVersion: 2,
  name: 'my-forge',

  webhook: {
    signatureHeaders: ['x-gitea-signature'],
    verify(headers, body, secret) {
      const signature = Buffer.from(String(headers['x-gitea-signature'] ?? ''), 'hex');
      const expected = createHmac('sha256', secret).update(body).digest();
      return signature.length === expected.length && timingSafeEqual(signature, expected);
    },
    parse(headers, body) {
      const payload = JSON.parse(body.toString('utf8'));
      const event = String(headers['x-gitea-event']);
      const isPull = event.startsWith('pull_request');
      return {
        kind: event === 'push' ? 'push' : isPull ? 'pullRequest' : 'other',
        delivery: undefined,
        repository: { owner: payload.repository.owner.login, name: payload.repository.name },
        refs: event === 'push' ? [{ ref: payload.ref, before: payload.before, after: payload.after }] : [],
      };
    },
    concerns: ({ repository }, section) =>
      /** @type {{ repository: string }} */ (section).repository ===
      `${repository?.owner}/${repository?.name}`,
  },

  origins: (section, toolkit) => [serverOf(section, toolkit)],

  connect(connection, context) {
    const { Section, readToken } = context.toolkit;
    const server = serverOf(connection.section, context.toolkit);
    const token = readToken(connection.secret, 'plugin my-forge is used');
    const open = opener(connection, context, server, token);
    return {
      async login(options) {
        const api = open('the token', '', connection.provider.namespace);
        return (await api.send({ method: 'GET', path: '/user' }, call('identify', options))).login;
      },
      repository({ namespace, name, section }) {
        const fullName = new Section(section, where).string('repository');
        return repositoryOf(open(fullName, name, namespace), context, { server, token, fullName });
      },
    };
  },
};

const where = 'spec.plugin.config';

/** The only server that the credential goes to. */
function serverOf(/** @type {unknown} */ section, /** @type {ScmToolkit} */ { Section, originOf }) {
  return originOf(new Section(section, where).string('server'), `${where}.server`);
}

/** Requests go through one governor for each credential, and are bounded, measured and typed by `JsonApi`. */
function opener(
  /** @type {ScmConnection} */ { provider },
  /** @type {ExternalScmContext} */ context,
  /** @type {string} */ server,
  /** @type {string} */ token,
) {
  const { JsonApi, digestOf } = context.toolkit;
  const governor = context.governor(digestOf([server, token]), {
    concurrency: 10,
    queueLimit: 100,
    maxWaitMs: 10_000,
    writes: { burst: 30, perSecond: 5 },
  });
  return (
    /** @type {string} */ fullName,
    /** @type {string} */ repository,
    /** @type {string} */ namespace,
  ) =>
    new JsonApi(context, {
      apiUrl: `${server}/api/v1`,
      authorization: `token ${token}`,
      governor,
      caller: { namespace, repository, provider: provider.name, providerKind: provider.kind },
      repository: fullName,
    });
}

const states = {
  queued: 'pending',
  in_progress: 'pending',
  success: 'success',
  failure: 'failure',
  cancelled: 'error',
};
const phases = { pending: 'in_progress', success: 'success', failure: 'failure', error: 'cancelled' };

/** @returns {ScmRepository} */
function repositoryOf(/** @type {any} */ api, /** @type {ExternalScmContext} */ { toolkit }, at) {
  const { TypedError, isTyped, readableUrl } = toolkit;
  const home = `${at.server}/${at.fullName}`;
  const root = `/repos/${at.fullName}`;
  const fail = (type, message, reason) => new TypedError(type, message, { reason });
  const send = (method, path, about, body) => api.send({ method, path: `${root}${path}`, body }, about);

  /** A list is complete, or it fails: `JsonApi.list` reads all pages. */
  const list = (path, query, about, itemsOf = (data) => data) => {
    let seen = 0;
    const page = (number) => ({
      method: 'GET',
      path: `${root}${path}`,
      query: { ...query, page: number, limit: 50 },
    });
    return api.list(page, about, (data, headers) => {
      const items = itemsOf(data) ?? [];
      seen += items.length;
      return { items, more: items.length > 0 && seen < Number(headers['x-total-count'] ?? 0) };
    });
  };

  const read = (id, options) => send('GET', `/pulls/${id}`, call('get', options, `pull request ${id}`));
  const branch = (name, options) =>
    send('GET', `/branches/${name}`, call('get', options, `branch ${name}`)).catch((error) => {
      if (isTyped(error, 'NotFound')) return undefined;
      throw error;
    });
  const statuses = (sha, options) =>
    list(`/commits/${sha}/status`, {}, call('list', options, `statuses at ${sha}`), (data) => data.statuses);

  /** What stands between an open pull request and its merge. */
  async function obstacle(pull, options) {
    if (pull.state !== 'open') return { reason: 'NotOpen', why: 'it is not open' };
    if (!pull.mergeable) return { reason: 'MergeConflict', why: 'the branches conflict' };
    const base = await branch(pull.base.ref, options);
    const good = base?.enable_status_check ? await statuses(pull.head.sha, options) : [];
    const missing = (base?.status_check_contexts ?? []).filter(
      (context) => !good.some((status) => status.context === context && status.status === 'success'),
    );
    return missing.length === 0
      ? undefined
      : { reason: 'Blocked', why: `not successful: ${missing.join(', ')}` };
  }

  return {
    fullName: at.fullName,
    cloneUrl: `${home}.git`,
    webUrl: (target) =>
      target === undefined
        ? home
        : 'commit' in target
          ? `${home}/commit/${target.commit}`
          : `${home}/pulls/${target.pullRequest}`,
    gitCredentials: async () => ({ username: 'oauth2', password: at.token }),
    async describe(options) {
      const { default_branch: defaultBranch, archived } = await send(
        'GET',
        '',
        call('get', options, 'repository'),
      );
      return { defaultBranch, archived };
    },

    async findPullRequests({ head, base, state }, options) {
      const pulls = await list(
        '/pulls',
        { state, sort: 'oldest' },
        call('list', options, `pull requests from ${head ?? 'any branch'}`),
      );
      return pulls
        .map(info)
        .filter((pull) => (head ?? pull.head) === pull.head && (base ?? pull.base) === pull.base);
    },
    async getPullRequest(id, options) {
      const pull = await read(id, options);
      if (pull.merged) return info(pull);
      if (pull.state === 'closed') {
        const entries = await list(`/issues/${id}/timeline`, {}, call('list', options, `timeline of ${id}`));
        return { ...info(pull), closedBy: entries.filter(({ type }) => type === 'close').at(-1)?.user.login };
      }
      const found = await obstacle(pull, options);
      const mergeability = { MergeConflict: 'conflicting', Blocked: 'blocked' }[found?.reason] ?? 'mergeable';
      return /** @type {PullRequestInfo} */ ({ ...info(pull), mergeability });
    },
    async createPullRequest({ head, base, title, body }, options) {
      const about = call('create', options, `pull request from ${head} to ${base}`, 'write');
      try {
        return info(await send('POST', '/pulls', about, { head, base, title, body }));
      } catch (error) {
        if (isTyped(error, 'Conflict')) throw fail('Conflict', error.message, 'AlreadyExists');
        if (isTyped(error, 'Invalid') && /no changes/.test(error.message)) {
          throw fail('Invalid', error.message, 'NoCommits');
        }
        if (!isTyped(error, 'NotFound')) throw error;
        const known = await Promise.all([head, base].map((name) => branch(name, options)));
        throw known.includes(undefined) ? fail('Invalid', error.message, 'BranchMissing') : error;
      }
    },
    updatePullRequest: async (id, change, options) =>
      info(
        await send('PATCH', `/pulls/${id}`, call('update', options, `pull request ${id}`, 'write'), change),
      ),
    closePullRequest: async (id, options) =>
      info(
        await send('PATCH', `/pulls/${id}`, call('close', options, `pull request ${id}`, 'write'), {
          state: 'closed',
        }),
      ),

    /** `head_commit_id` pins the merge to the commit that was judged. */
    async mergePullRequest(id, { headSha, method, commitTitle, commitMessage }, options) {
      const urgent = { ...options, priority: /** @type {const} */ ('critical') };
      const about = call('merge', urgent, `pull request ${id}`);
      const payload = {
        Do: method,
        head_commit_id: headSha,
        MergeTitleField: commitTitle,
        MergeMessageField: commitMessage,
      };
      try {
        await send('POST', `/pulls/${id}/merge`, about, payload);
      } catch (error) {
        if (!isTyped(error, 'Conflict', 'NotFound')) throw error;
        if (/head out of date/.test(error.message)) throw fail('Conflict', error.message, 'HeadMoved');
        if (/push out of date/.test(error.message)) throw fail('Conflict', error.message, 'BaseMoved');
        if (/behind the base/.test(error.message)) throw fail('Conflict', error.message, 'Behind');
        if (/not ready to merge/.test(error.message) && !/status checks/.test(error.message)) {
          throw fail('Conflict', error.message, 'Blocked');
        }
        if (/merge style/.test(error.message))
          throw fail('Permanent', error.message, 'MergeMethodNotAllowed');
        const pull = await read(id, urgent).catch(() => undefined);
        const found = pull === undefined ? undefined : await obstacle(pull, urgent);
        throw found === undefined ? error : fail('Conflict', `${error.message}: ${found.why}`, found.reason);
      }
      return { mergeSha: (await read(id, urgent)).merge_commit_sha };
    },

    async ensureLabels(id, { add = [], remove = [] }, options) {
      const path = `/issues/${id}/labels`;
      const about = call('label', options, `pull request ${id}`, 'write');
      const present = await list(path, {}, about);
      const missing = add.filter((name) => !present.some((label) => label.name === name));
      const surplus = present.filter((label) => remove.includes(label.name));
      const known = missing.length === 0 ? [] : await list('/labels', {}, about);
      for (const name of missing) {
        const label =
          known.find((each) => each.name === name) ??
          (await send('POST', '/labels', about, { name, color: '#ededed' }));
        await send('POST', path, about, { labels: [label.id] });
      }
      for (const label of surplus) await send('DELETE', `${path}/${label.id}`, about);
      return missing.length + surplus.length > 0;
    },

    /** Read before it is written: what is so already is not sent again. */
    async ensureCommitStatus({ sha, name: context, phase, description = '', url }, options) {
      const wanted = { state: states[phase], context, description, target_url: readableUrl(url) ?? '' };
      const current = (await statuses(sha, options)).find((status) => status.context === context);
      const same =
        current?.status === wanted.state &&
        current.description === description &&
        current.target_url === wanted.target_url;
      if (same) return { statusId: current.id };
      const about = call('create', options, `status ${context} at ${sha}`, 'status');
      return { statusId: (await send('POST', `/statuses/${sha}`, about, wanted)).id };
    },
    async listCommitStatuses(sha, options) {
      const all = await statuses(sha, options);
      return all.map(({ context, status, description, target_url: url }) => ({
        name: context,
        phase: phases[status],
        description,
        ...(url === '' ? {} : { url }),
      }));
    },
  };
}

/** @returns {PullRequestInfo} */
function info(/** @type {any} */ pull) {
  return {
    id: pull.number,
    url: pull.html_url,
    title: pull.title,
    body: pull.body,
    state: pull.merged ? 'merged' : pull.state,
    draft: false,
    // Of a branch that is gone only the label is left.
    head: pull.head.ref.startsWith('refs/pull/') ? pull.head.label : pull.head.ref,
    headSha: pull.head.sha,
    base: pull.base.ref,
    labels: pull.labels.map(({ name }) => name),
    createdAt: pull.created_at,
    updatedAt: pull.updated_at,
    mergeability: 'unknown',
    repositoryId: String(pull.base.repo_id),
    ...(pull.merged ? { mergeSha: pull.merge_commit_sha, mergedBy: pull.merged_by.login } : {}),
  };
}

/** What a request is about, for messages and metrics, and how urgent it is. */
function call(
  /** @type {string} */ operation,
  /** @type {CallOptions | undefined} */ options,
  object = '',
  /** @type {'critical' | 'write' | 'status' | 'read'} */ priority = 'read',
) {
  return { api: 'my-forge', operation, object, priority, options };
}
