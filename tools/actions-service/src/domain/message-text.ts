import { jsonReply, jsonText } from '../http/json.js';
import type { Reply } from '../http/message.js';
import type { DomainContext } from './context.js';
import type { Delivery } from './model.js';

/** Returns the reply that carries a message, whose id is a random number of 64 bits. */
export function messageReply(context: DomainContext, messageType: string, body: string): Reply {
  return jsonReply(200, { messageId: context.random.int64(), messageType, body });
}

export function jobRequestReply(context: DomainContext, delivery: Delivery): Reply {
  return messageReply(
    context,
    'RunnerJobRequest',
    jsonText({
      runner_request_id: delivery.id,
      run_service_url: `${context.urls().run}/${String(delivery.shard)}/`,
      billing_owner_id: billingOwner,
      should_acknowledge: context.settings.dialect === 'live',
    }),
  );
}

export function cancellationReply(context: DomainContext, delivery: Delivery): Reply {
  return messageReply(context, 'JobCancellation', jsonText({ jobId: delivery.id, timeout: '00:05:00' }));
}

const billingOwner = 'U_kgDOActions1';

/** The answer to a poll without a message. */
export const noMessage: Reply = { status: 202 };

export function brokerError(status: number, errorKind: string, errorMessage: string): Reply {
  return jsonReply(status, {
    source: 'actions-broker-listener',
    errorKind,
    statusCode: status,
    errorMessage,
  });
}
