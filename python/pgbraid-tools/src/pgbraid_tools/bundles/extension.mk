# make install [PG_CONFIG=/path/to/pg_config] [DESTDIR=FOLDER]: copy the extension to where the server finds it.
PG_CONFIG ?= pg_config
FOLDER = $(DESTDIR)$(shell $(PG_CONFIG) --sharedir)/extension

all:

install:
	mkdir -p '$(FOLDER)'
	install -m 644 pgbraid.control pgbraid--*.sql '$(FOLDER)'

# Scripts of other versions stay.
uninstall:
	cd '$(FOLDER)' && rm -f pgbraid.control $(notdir $(wildcard pgbraid--*.sql))

.PHONY: all install uninstall
