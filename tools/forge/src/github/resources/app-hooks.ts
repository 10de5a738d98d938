import type { App, Hook } from '../../domain/model.js';
import { found } from '../../domain/refusal.js';
import type { Call, GithubRoute } from '../call.js';
import { presentDelivery, presentFullDelivery } from '../present/hook.js';

const deliveries = '/app/hook/deliveries';

/** REST API, "GitHub App webhooks": deliveries to an App, and redelivery. */
export const appHookRoutes: GithubRoute[] = [
  {
    name: `GET ${deliveries}`,
    endpoint: {
      who: 'app',
      handle: (call, app) => call.list(call.services.hooks.deliveries(hookOf(app)), presentDelivery),
    },
  },
  {
    name: `GET ${deliveries}/{delivery_id}`,
    endpoint: {
      who: 'app',
      handle: (call, app) => ({
        status: 200,
        body: presentFullDelivery(hookOf(app), deliveryOf(call, app)),
      }),
    },
  },
  {
    name: `POST ${deliveries}/{delivery_id}/attempts`,
    endpoint: {
      who: 'app',
      handle: (call, app) => {
        call.services.hooks.redeliver(hookOf(app), deliveryOf(call, app).id);
        return { status: 202, body: {} };
      },
    },
  },
];

/** @throws Refusal `NotFound` for an App without a webhook. */
function hookOf({ hook }: App): Hook {
  return found(hook);
}

function deliveryOf(call: Call, app: App) {
  const id = call.number('delivery_id');
  return found(call.services.hooks.deliveries(hookOf(app)).find((delivery) => delivery.id === id));
}
