import type { Forge } from '../forge.js';
import type { UserHandle } from '../provisioning.js';
import { GithubUser, type ForgeUser } from './forge-user.js';
import { GiteaUser } from './gitea-user.js';
import { GitlabUser } from './gitlab-user.js';

const users = {
  github: GithubUser,
  gitlab: GitlabUser,
  gitea: GiteaUser,
  forgejo: GiteaUser,
} as const;

/** Returns a user who calls the forge through the API of that SCM. */
export function createForgeUser(protocol: keyof typeof users, forge: Forge, user: UserHandle): ForgeUser {
  return new users[protocol](forge, user);
}
