/**
 * A repository host that sends no byte for so long is asked again instead of waited for. Hosts pack an archive before they begin to send
 * it, which takes the largest repositories most of a minute.
 */
export const hostSilenceMs = 60_000;
