import { ListElement } from '@interlock/base';

/** A request whose target is not connected yet. It is in the list itself, which saves an object for each request. */
export abstract class WaitingRequest extends ListElement<WaitingRequest> {
  /** Ends the request at the shutdown, while it waits for its target. */
  abstract cut(): void;
}
