/** Who may use the bucket from a web page of another origin; see PutBucketCors. */
export interface CorsRule {
  /** Each with at most one "*". */
  readonly allowedOrigins: readonly string[];
  readonly allowedMethods: readonly string[];
  /** Each with at most one "*". @default none */
  readonly allowedHeaders?: readonly string[];
  /** Headers that a page may read. @default none */
  readonly exposedHeaders?: readonly string[];
  readonly maxAgeSeconds?: number;
}

/** What `S3.sweep` removes by age; see PutBucketLifecycleConfiguration. Ages end at the next midnight UTC, as on AWS. */
export interface LifecycleRule {
  /** @default "", every key */
  readonly prefix?: string;
  /** Days after which a current version expires: it is deleted, in a versioned bucket by a delete marker. */
  readonly expirationDays?: number;
  /** Days after which a version that has been superseded is removed for good. */
  readonly noncurrentDays?: number;
  /** Days after which an unfinished multipart upload is dropped. */
  readonly abortMultipartDays?: number;
  /** Removes a delete marker that has no version left behind it. */
  readonly expiredObjectDeleteMarker?: boolean;
}

export interface BucketProps {
  readonly name: string;
  /** Turning it off later suspends versioning: versions stay, new objects get the version "null". */
  readonly versioned: boolean;
  readonly cors?: readonly CorsRule[];
  readonly lifecycle?: readonly LifecycleRule[];
  /**
   * The customer key that encrypts new objects by default. The embedded cloud does not encrypt, but asks IAM for
   * kms:GenerateDataKey and kms:Decrypt on this key as S3 does, and shows the key in its answers.
   */
  readonly kmsKeyArn?: string;
  /** Whether KMS sees the bucket in place of each object in its encryption context. @default false */
  readonly bucketKeyEnabled?: boolean;
}

export interface Bucket extends BucketProps {
  readonly versioning: "Off" | "Enabled" | "Suspended";
}

export const bucketArn = (bucket: string) => `arn:aws:s3:::${bucket}`;
export const objectArn = (bucket: string, key: string) => `${bucketArn(bucket)}/${key}`;
