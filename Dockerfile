# The same steps as bin/run: a virtual environment, the project with its server extra, one process.
FROM python:3.13-slim-bookworm AS build
WORKDIR /build
COPY pyproject.toml hatch_build.py README.md ./
COPY punktum punktum
COPY app app
COPY templates templates
COPY static static
COPY migrations migrations
COPY examples examples
RUN python -m venv /opt/punktum && /opt/punktum/bin/pip install --no-cache-dir ".[server]"

FROM python:3.13-slim-bookworm
RUN useradd --create-home --uid 10001 punktum && mkdir /data && chown punktum /data
COPY --from=build /opt/punktum /opt/punktum
USER punktum
ENV PUNKTUM_DATA=/data PUNKTUM_HOST=0.0.0.0 PUNKTUM_PORT=8000
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=3s CMD ["/opt/punktum/bin/python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz')"]
ENTRYPOINT ["/opt/punktum/bin/punktum-server"]
CMD ["serve"]
