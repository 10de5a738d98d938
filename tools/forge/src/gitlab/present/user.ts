import type { SimpleUserSchema } from '@gitbeaker/rest';
import type { Account } from '../../domain/model.js';
import type { Subset } from '../../rest/subset.js';
import type { Links } from '../links.js';

export function presentUser(links: Links, { id, login, name }: Account) {
  return {
    id,
    username: login,
    name,
    state: 'active',
    avatar_url: '',
    web_url: `${links.html}/${login}`,
  } satisfies Subset<SimpleUserSchema>;
}
