import type { Forge, UserHandle } from '@interlock/forge';
import type { ScmName } from '../fleet/scm-access.js';
import { GiteaPerson } from './gitea-person.js';
import { GitlabPerson } from './gitlab-person.js';
import { GithubPerson, type Person } from './person.js';

const people = {
  github: GithubPerson,
  gitlab: GitlabPerson,
  gitea: GiteaPerson,
  forgejo: GiteaPerson,
} as const;

/** Returns a person who uses the forge as they would use an SCM of that kind. */
export function createPerson(scm: ScmName, forge: Forge, user: UserHandle): Person {
  return new people[scm](forge, user);
}
