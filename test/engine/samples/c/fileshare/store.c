#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/md5.h>
#include <openssl/ssl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int find_user(sqlite3 *db) {
  char name[64], sql[256];
  sqlite3_stmt *statement;
  if (fgets(name, sizeof(name), stdin) == NULL)
    return -1;
  snprintf(sql, sizeof(sql), "select id from users where name = '%s'", name);
  // vuln: sql_injection
  sqlite3_exec(db, sql, NULL, NULL, NULL);
  // safe: sql_injection
  sqlite3_prepare_v2(db, "select id from users where name = ?", -1, &statement, NULL);
  sqlite3_bind_text(statement, 1, name, -1, SQLITE_TRANSIENT);
  return sqlite3_step(statement);
}

int find_by_id(sqlite3 *db) {
  char line[16], sql[256];
  if (fgets(line, sizeof(line), stdin) == NULL)
    return -1;
  snprintf(sql, sizeof(sql), "select name from users where id = %d", atoi(line));
  // safe: sql_injection
  return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

void hash_password(const char *password, unsigned char *digest) {
  // vuln: weak_hash
  MD5((const unsigned char *)password, strlen(password), digest);
  // safe: weak_hash
  EVP_Digest(password, strlen(password), digest, NULL, EVP_sha256(), NULL);
}

void seal(EVP_CIPHER_CTX *context, const unsigned char *key, const unsigned char *iv) {
  // vuln: weak_cipher
  EVP_EncryptInit_ex(context, EVP_des_cbc(), NULL, key, iv);
  // safe: weak_cipher
  EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, iv);
}

void secure(SSL_CTX *context, SSL_CTX *other) {
  // vuln: tls_verification
  SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
  // safe: tls_verification
  SSL_CTX_set_verify(other, SSL_VERIFY_PEER, NULL);
}

int make_token(void) {
  // vuln: weak_random
  int token = rand();
  return token;
}

int roll(void) {
  // safe: weak_random
  return rand() % 6;
}

int *read_rows(void) {
  int count;
  scanf("%d", &count);
  // vuln: integer_overflow
  return malloc(count * sizeof(int));
}

int *read_few_rows(void) {
  int count;
  scanf("%d", &count);
  if (count <= 0 || count > 1000)
    return NULL;
  // safe: integer_overflow
  return malloc(count * sizeof(int));
}

void publish(const char *path) {
  if (access(path, W_OK) == 0) {
    // vuln: file_race
    int file = open(path, O_WRONLY);
    close(file);
  }
  // vuln: open_permissions
  chmod(path, 0777);
  // safe: open_permissions
  chmod(path, 0640);
}

FILE *scratch(void) {
  char name[] = "/tmp/shareXXXXXX";
  // safe: file_race
  int file = mkstemp(name);
  return fdopen(file, "w");
}

void ask(void) {
  char answer[8];
  // vuln: buffer_overflow
  scanf("%s", answer);
  // safe: buffer_overflow
  scanf("%7s", answer);
}
