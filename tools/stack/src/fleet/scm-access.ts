import type { Forge } from '@interlock/forge';

/** The SCMs that the forge can simulate for the apps. */
export type ScmName = 'github' | 'gitlab' | 'gitea' | 'forgejo';

/** An account at an SCM and a repository there, as resources describe them. */
export interface ScmAccess {
  /** The field in the specs of the provider and of the repository. */
  scm: string;
  provider: Record<string, unknown>;
  repository: Record<string, unknown>;
  secret: Record<string, string>;
}

interface GithubAppKey {
  appId: number;
  installationId: number;
  privateKeyPem: string;
}

interface RepositoryAt {
  owner: string;
  name: string;
}

/** @param domain the domain of the forge, with its scheme. */
export function githubAccess(domain: string, app: GithubAppKey, { owner, name }: RepositoryAt): ScmAccess {
  return {
    scm: 'github',
    provider: { domain, appID: app.appId, installationID: app.installationId },
    repository: { owner, name },
    secret: { githubAppPrivateKey: app.privateKeyPem },
  };
}

/** @param domain the domain of the forge, with its scheme. */
function gitlabAccess(domain: string, token: string, { owner, name }: RepositoryAt): ScmAccess {
  return { scm: 'gitlab', provider: { domain }, repository: { namespace: owner, name }, secret: { token } };
}

/** @param domain the domain of the forge, with its scheme. */
function giteaAccess(
  scm: 'gitea' | 'forgejo',
  domain: string,
  token: string,
  { owner, name }: RepositoryAt,
): ScmAccess {
  return { scm, provider: { domain }, repository: { owner, name }, secret: { token } };
}

/** An account of the apps at the forge. */
export interface ForgeAccount {
  access: ScmAccess;
  /** Login under which the forge records the requests of the apps. */
  login: string;
  /** Id of the installation of the GitHub App. */
  installationId: number | undefined;
}

/**
 * Creates an account for the apps at a repository of the forge: an installation of the GitHub App on the owner, or a
 * user of GitLab, Gitea or Forgejo with a token.
 */
export async function createForgeAccount(
  forge: Forge,
  scm: ScmName,
  app: { appId: number; slug: string; privateKeyPem: string },
  at: RepositoryAt,
): Promise<ForgeAccount> {
  if (scm === 'github') {
    const { installationId } = await forge.installApp({ appId: app.appId, owner: at.owner });
    const access = githubAccess(forge.url, { ...app, installationId }, at);
    return { access, login: `${app.slug}[bot]`, installationId };
  }
  const login = `interlock-${at.owner.replaceAll('/', '-')}`;
  const { token } = await forge.createUser({ login });
  await forge.grant({ ...at, login, role: 'write' });
  const access =
    scm === 'gitlab' ? gitlabAccess(forge.url, token, at) : giteaAccess(scm, forge.url, token, at);
  return { access, login, installationId: undefined };
}
