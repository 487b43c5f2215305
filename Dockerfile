# conqret with the base install: judges, reports, and nothing that needs torch.
#   docker build -t conqret .
#   docker run --rm -v "$PWD:/work" -e OPENAI_API_KEY conqret judge items.jsonl --model gpt-4o-mini -o runs/first
# Other extras: docker build --build-arg EXTRAS='[stats,plots]' -t conqret .
FROM python:3.11-slim

ARG EXTRAS=""
COPY . /src
RUN pip install --no-cache-dir "/src${EXTRAS}" -c /src/constraints.txt \
    && rm -rf /src \
    && useradd --create-home judge

USER judge
WORKDIR /work
ENTRYPOINT ["conqret"]
CMD ["--help"]
