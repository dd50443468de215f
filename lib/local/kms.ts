import { isKeyId, type KeySpec, type KeyUsage, newVersion } from "./kms/key.ts";
import { KeyFile } from "./kms/key-file.ts";
import { KeyRing } from "./kms/key-ring.ts";
import { isKmsOperation, type KmsInput, type KmsOperation, parseInput } from "./kms/kms-input.ts";
import { kmsOperations } from "./kms/operations.ts";
import { kmsPermissions } from "./kms/permissions.ts";
import { AwsError, type Json, type JsonService, type Permission } from "./service.ts";

export interface KmsProps {
  /** Where the key file is kept, mode 0600; made when missing. */
  readonly folder: string;
  /** The clock of rotation and deletion. @default the machine's */
  readonly now?: () => Date;
}

export interface KeyProps {
  readonly keyId: string;
  readonly spec: KeySpec;
  readonly usage: KeyUsage;
  /** Whether the material is renewed each year. @default false */
  readonly rotation?: boolean;
}

/**
 * KMS on this machine: symmetric keys (AES-256-GCM, the encryption context authenticated) and P-256 signing keys, with
 * aliases, versions, disabling and deletion. Key material lies in a file that its owner alone can read.
 */
export class Kms implements JsonService {
  readonly contentType = "application/x-amz-json-1.1";
  readonly #props: KmsProps;
  #opened: KeyRing | null = null;

  constructor(props: KmsProps) {
    this.#props = props;
  }

  /** Reads the keys, and renews the material that is due. @throws Error when the key file is damaged */
  async open(): Promise<void> {
    const { folder, now = () => new Date() } = this.#props;
    this.#opened = new KeyRing(new KeyFile(folder), now);
    this.#opened.rotateDue();
  }

  /** Makes a key unless it is there. @throws Error when it is there with another spec, or spec and usage do not fit */
  async ensureKey({ keyId, spec, usage, rotation = false }: KeyProps): Promise<void> {
    if (!isKeyId(keyId)) throw new Error(`key ${keyId}: expected up to 128 letters, digits, _ -`);
    const isSymmetric = spec === "SYMMETRIC_DEFAULT";
    if (isSymmetric !== (usage === "ENCRYPT_DECRYPT")) throw new Error(`key ${keyId}: ${spec} cannot be for ${usage}`);
    if (rotation && !isSymmetric) throw new Error(`key ${keyId}: only symmetric keys rotate`);
    const { file, now } = this.#ring;
    const key = this.#ring.find(keyId);
    if (key && key.spec !== spec) throw new Error(`key ${keyId} is ${key.spec} and cannot become ${spec}`);
    if (key && key.rotation === rotation) return;
    const fresh = { keyId, spec, usage, state: "Enabled", deletionDate: null } as const;
    file.putKey({ ...(key ?? { ...fresh, versions: [newVersion(spec, now())] }), rotation });
  }

  /** Points an alias at a key. @param name with "alias/" in front. @throws Error when the key is missing */
  async ensureAlias(name: string, keyId: string): Promise<void> {
    if (!/^alias\/[\w/-]{1,250}$/.test(name))
      throw new Error(`alias ${name}: expected alias/ and letters, digits, / _ -`);
    if (!this.#ring.find(keyId)) throw new Error(`alias ${name}: there is no key ${keyId}`);
    if (this.#ring.file.aliasTarget(name) !== keyId) this.#ring.file.putAlias(name, keyId);
  }

  async close(): Promise<void> {
    this.#opened = null;
  }

  permissions(operation: string, input: Json): Permission[] {
    return kmsPermissions(this.#ring, known(operation), input);
  }

  async call(operation: string, input: Json): Promise<object> {
    return this.#run(known(operation), input);
  }

  #run<O extends KmsOperation>(operation: O, input: Json): object {
    const run: (ring: KeyRing, input: KmsInput<O>) => object = kmsOperations[operation];
    return run(this.#ring, parseInput(operation, input));
  }

  get #ring(): KeyRing {
    if (!this.#opened) throw new Error("KMS is not open");
    return this.#opened;
  }
}

function known(operation: string): KmsOperation {
  if (isKmsOperation(operation)) return operation;
  throw new AwsError("UnknownOperationException", `The embedded KMS has no operation ${operation}.`);
}
