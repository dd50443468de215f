#ifndef PROTO_H
#define PROTO_H

#define NAME_SIZE 32
#define LINE_SIZE 256
#define SLOTS 16

struct client {
  int fd;
  char name[NAME_SIZE];
  char *greeting;
  struct client *next;
};

#endif
