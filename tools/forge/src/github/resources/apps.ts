import * as z from 'zod';
import { covers } from '../../domain/access.js';
import { sameName } from '../../domain/core.js';
import {
  resources,
  type App,
  type Installation,
  type Permissions,
  type Repository,
} from '../../domain/model.js';
import type { Call, GithubRoute } from '../call.js';
import { GithubError, notFound, unprocessable } from '../errors.js';
import { presentAccount } from '../present/account.js';
import { presentApp } from '../present/check-run.js';
import { presentRepository } from '../present/repository.js';
import type { Subset } from '../../rest/subset.js';
import type { Schemas } from '../schema.js';

const accessTokenRequest = z.object({
  repositories: z.array(z.string()).max(500).optional(),
  repository_ids: z.array(z.number().int()).max(500).optional(),
  permissions: z.partialRecord(z.enum(resources), z.enum(['read', 'write'])).optional(),
});

/** REST API, "GitHub Apps". */
export const appRoutes: GithubRoute[] = [
  {
    name: 'GET /app',
    endpoint: {
      who: 'app',
      handle: (call, app) => ({ status: 200, body: presentApp(call.domain.core, call.links, app) }),
    },
  },
  {
    name: 'GET /app/installations',
    endpoint: {
      who: 'app',
      handle: (call, app) =>
        call.list(installationsOf(call, app), (installation) => presentInstallation(call, app, installation)),
    },
  },
  {
    name: 'GET /app/installations/{installation_id}',
    endpoint: {
      who: 'app',
      handle: (call, app) => ({
        status: 200,
        body: presentInstallation(call, app, installationOf(call, app)),
      }),
    },
  },
  {
    name: 'DELETE /app/installations/{installation_id}',
    endpoint: {
      who: 'app',
      handle: (call, app) => {
        call.domain.accounts.uninstall(installationOf(call, app));
        return { status: 204 };
      },
    },
  },
  {
    name: 'DELETE /installation/token',
    endpoint: {
      who: 'actor',
      handle: ({ actor, domain }) => {
        if (actor.installation === undefined) throw notAnInstallation();
        domain.accounts.revoke(actor.token);
        return { status: 204 };
      },
    },
  },
  {
    name: 'POST /app/installations/{installation_id}/access_tokens',
    endpoint: { who: 'app', handle: createAccessToken },
  },
  {
    name: 'GET /repos/{owner}/{repo}/installation',
    endpoint: {
      who: 'app',
      handle: (call, app) => {
        const repository = call.domain.repositories.find(call.parameter('owner'), call.parameter('repo'));
        if (repository === undefined) throw notFound();
        const installation = installationsOf(call, app).find((candidate) => covers(candidate, repository));
        if (installation === undefined) throw notFound();
        return { status: 200, body: presentInstallation(call, app, installation) };
      },
    },
  },
  ...['orgs/{org}', 'users/{username}'].map((path): GithubRoute => ({
    name: `GET /${path}/installation`,
    endpoint: {
      who: 'app',
      handle: (call, app) => {
        const login = call.parameters['org'] ?? call.parameter('username');
        const installation = installationsOf(call, app).find(({ accountId }) =>
          sameName(call.domain.core.account(accountId).login, login),
        );
        if (installation === undefined) throw notFound();
        return { status: 200, body: presentInstallation(call, app, installation) };
      },
    },
  })),
  {
    name: 'GET /installation/repositories',
    endpoint: {
      who: 'actor',
      handle: (call) => {
        const { core, repositories } = call.domain;
        const visible = repositories.visibleTo(call.actor);
        const { items, headers } = call.page(visible);
        const presented = items.map((repository) => presentRepository(core, call.links, repository));
        return { status: 200, headers, body: { total_count: visible.length, repositories: presented } };
      },
    },
  },
];

function notAnInstallation(): GithubError {
  return new GithubError(403, 'You must authenticate with an installation access token.');
}

function createAccessToken(call: Call, app: App) {
  const { domain, links } = call;
  const installation = installationOf(call, app);
  const wanted = call.read(accessTokenRequest);
  const all = domain.core.state.repositories.filter((repository) => covers(installation, repository));
  const chosen = chooseRepositories(all, wanted.repositories, wanted.repository_ids);
  const permissions = wanted.permissions as Permissions | undefined;
  for (const [resource, level] of Object.entries(permissions ?? {})) {
    /* Every installation may read metadata. */
    const implied = resource === 'metadata' ? 'read' : undefined;
    const granted = installation.permissions[resource as keyof Permissions] ?? implied;
    if (granted === undefined || (level === 'write' && granted === 'read')) {
      throw unprocessable('The permissions requested are not granted to this installation.');
    }
  }
  const token = domain.accounts.createInstallationToken(installation, {
    repositoryIds: chosen?.map(({ id }) => id),
    permissions,
  });
  const body = {
    token: token.value,
    expires_at: new Date(token.expiresAt).toISOString().replace(/\.\d+Z$/, 'Z'),
    permissions: { metadata: 'read', ...(permissions ?? installation.permissions) },
    repository_selection:
      chosen === undefined && installation.repositoryIds === undefined ? 'all' : 'selected',
    ...(chosen === undefined
      ? {}
      : { repositories: chosen.map((repository) => presentRepository(domain.core, links, repository)) }),
  } as const satisfies Subset<Schemas['installation-token']>;
  return { status: 201, body };
}

/** @throws GithubError 422 for a repository that the installation cannot access. */
function chooseRepositories(
  all: readonly Repository[],
  names: readonly string[] | undefined,
  ids: readonly number[] | undefined,
): Repository[] | undefined {
  if (names === undefined && ids === undefined) return undefined;
  const byName = (names ?? []).map((name) => all.find((repository) => sameName(repository.name, name)));
  const byId = (ids ?? []).map((id) => all.find((repository) => repository.id === id));
  return [...byName, ...byId].map((repository) => {
    if (repository !== undefined) return repository;
    throw unprocessable(
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  });
}

function installationsOf({ domain }: Call, app: App): Installation[] {
  return domain.core.state.installations.filter(({ appId }) => appId === app.id);
}

function installationOf(call: Call, app: App): Installation {
  const id = call.number('installation_id');
  const installation = installationsOf(call, app).find((candidate) => candidate.id === id);
  if (installation === undefined) throw notFound();
  return installation;
}

function presentInstallation({ domain, links }: Call, app: App, installation: Installation) {
  const account = domain.core.account(installation.accountId);
  const { id } = installation;
  return {
    id,
    account: presentAccount(links, account),
    access_tokens_url: `${links.api}/app/installations/${id}/access_tokens`,
    repositories_url: `${links.api}/installation/repositories`,
    html_url: `${links.html}/settings/installations/${id}`,
    app_id: app.id,
    app_slug: app.slug,
    target_id: account.id,
    target_type: account.type,
    repository_selection: installation.repositoryIds === undefined ? ('all' as const) : ('selected' as const),
    permissions: installation.permissions as Subset<Schemas['app-permissions']>,
    events: app.events,
    created_at: installation.createdAt,
    updated_at: installation.createdAt,
    single_file_name: null,
    suspended_by: null,
    suspended_at: null,
  } satisfies Subset<Schemas['installation']>;
}
