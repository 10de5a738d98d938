import type { Domain } from '../domain/domain.js';
import type { Installation } from '../domain/model.js';
import { requireCredential } from '../http/identity.js';
import type { Call, Reply } from '../http/message.js';
import type { EndpointRoute } from '../http/route-table.js';
import { Refused } from '../record/refused.js';
import type { ServiceApp } from './app-jwt.js';
import { RateBudget } from './rate-budget.js';

type RestHandler = (call: Call, installation: Installation) => Reply | Promise<Reply>;

/** The functions that the endpoints of REST share. */
export class RestApi {
  readonly domain: Domain;
  readonly app: ServiceApp;
  readonly budget: RateBudget;

  constructor(domain: Domain, app: ServiceApp) {
    this.domain = domain;
    this.app = app;
    this.budget = new RateBudget(domain.context.clock, domain.context.settings.rateLimit);
  }

  /** Returns an endpoint that takes the token of an installation, and uses up one of its requests. */
  route(
    method: string,
    template: string,
    run: RestHandler,
    cost: 'counted' | 'free' = 'counted',
  ): EndpointRoute {
    return {
      base: 'rest',
      method,
      template,
      run: async (call) => {
        const installation = this.#installation(call);
        const headers = cost === 'counted' ? this.budget.take(installation) : {};
        try {
          const reply = await run(call, installation);
          return { ...reply, headers: { ...headers, ...reply.headers } };
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          throw new Refused(error.status, error.message, {
            kind: error.kind,
            violation: error.violation,
            headers: { ...headers, ...error.headers },
          });
        }
      },
    };
  }

  /** @throws Refused 404, because GitHub hides resources that an installation cannot access. */
  requireAccount(installation: Installation, owner: string): void {
    if (installation.account.toLowerCase() !== owner.toLowerCase()) throw new Refused(404, 'Not Found');
  }

  #installation(call: Call): Installation {
    const { subject } = requireCredential(call.identity, ['installation'], 'Bad credentials');
    const installation = this.domain.context.state.installations.get(Number(subject));
    if (installation === undefined) throw new Refused(401, 'Bad credentials');
    return installation;
  }
}
